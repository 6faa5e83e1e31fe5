/** A value in a line of text: empty for null, the words of a list joined by commas. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.join(",") : JSON.stringify(value);
}

/**
 * A spreadsheet takes a cell that starts this way for a formula, and a name from a stranger could then read and send the
 * others. An apostrophe before it makes it text (OWASP, "CSV Injection").
 */
const FORMULA = /^(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/u;

/**
 * The beginning of a formula behind a semicolon, at which spreadsheets in most of Europe end a cell: a quote does not keep a cell together
 * that they began at another place.
 */
const LATER_FORMULA = /;\s*(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/gu;

/** A cell that no spreadsheet takes for a formula; it still has to be quoted. */
export function disarmed(text: string): string {
  return (FORMULA.test(text) ? `'${text}` : text).replace(LATER_FORMULA, "$&'");
}

/** A cell as RFC 4180 writes it. */
export function quotedCell(text: string): string {
  return /[",;\s]|^'/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
