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

/** The maximum length of an e-mail address (RFC 5321, 4.5.3.1.3, without the angle brackets). */
export const MAX_EMAIL_LENGTH = 254;

/**
 * An e-mail address in NFKC, at a domain in ASCII. Dots before the @ may stand anywhere: some providers gave out such
 * addresses. Free of what not every dialect of regular expressions has.
 */
export const EMAIL =
  /^[^\s@]+@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;

/** Control characters, and others that no one sees. */
const INVISIBLE = /\p{C}/u;

/** Whether text in NFKC is an e-mail address. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_EMAIL_LENGTH && EMAIL.test(text) && !INVISIBLE.test(text);
}

/**
 * An e-mail address as it is stored, in NFKC, or undefined if the text is not one. The normalized text is what is
 * checked: an address with a full-width @ must not become another address afterwards.
 */
export function normalizeEmail(text: string): string | undefined {
  const email = text.normalize("NFKC");
  return isEmail(email) ? email : undefined;
}
