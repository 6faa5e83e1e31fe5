/** What normalising would leave as it is; most text, and several times faster. */
const ASCII = /^[\u0020-\u007e]*$/;

/** The one form in which text is compared: searches and e-mail addresses ignore case and Unicode's spelling variants. */
export function fold(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : foldCase(text.normalize("NFKC"));
}

/**
 * Text without its case. Lower-casing writes a Greek sigma at the end of a word in another way; a search for part of a word
 * must not care.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}
