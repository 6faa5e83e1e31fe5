/** The one form in which text is compared: searches and e-mail addresses ignore case and Unicode's spelling variants. */
export function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
