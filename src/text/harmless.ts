/** C0 and C1 controls, and what changes the direction or vanishes: names come from strangers. */
// eslint-disable-next-line no-control-regex
export const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A joiner between two pictures makes one of them, such as a family of three; between letters it can't be seen. */
const JOINED_EMOJI = /(?<=\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?)\u200d(?=\p{Extended_Pictographic})/gu;

/** Text that a terminal shows and does not obey. */
export function harmless(text: string): string {
  const parts = text.includes("\u200d") ? text.split(JOINED_EMOJI) : [text];
  const safe = parts.map((part) =>
    part.replace(HARMFUL, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`),
  );
  return safe.join("\u200d");
}

/**
 * The same for data, which is not to be changed more than a terminal's safety wants: the joiners of some scripts and emoji
 * stay. In a table they could make two names look alike.
 */
export function harmlessData(text: string): string {
  return text
    .split(/([\u200c\u200d])/)
    .map((part, i) => (i % 2 === 1 ? part : harmless(part)))
    .join("");
}

/** Characters that change the direction of text or are invisible, except the joiners of some scripts and of emoji. */
const UNSEEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A name with its invisible characters shown: `[U+202E]txt.exe`, which a page would show as `exe.txt`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (one) => `[U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

/**
 * A spreadsheet takes a cell that starts this way for a formula, and a name from a stranger could then read and send the
 * others. An apostrophe before it makes it text (OWASP, "CSV Injection").
 */
const FORMULA = /^(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/u;

/**
 * The beginning of a formula behind a semicolon, at which spreadsheets in most of Europe end a cell: a quote does not keep a
 * cell together that they began at another place.
 */
const LATER_FORMULA = /;\s*(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/gu;

/**
 * A line of CSV (RFC 4180), for the command line and the dashboard: no cell is a formula, controls a terminal, or begins a
 * line of its own. A line break in quotes would: where cells end at semicolons, no quote keeps this one together.
 * @param isRaw whether the cells are only quoted
 */
export function csvLine(cells: readonly string[], isRaw = false): string {
  return `${cells.map((cell) => quotedCell(isRaw ? cell : harmlessData(disarmed(cell)))).join(",")}\n`;
}

function disarmed(text: string): string {
  return (FORMULA.test(text) ? `'${text}` : text).replace(LATER_FORMULA, "$&'");
}

function quotedCell(text: string): string {
  return /[",;\s]|^'/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
