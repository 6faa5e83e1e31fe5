import { harmlessData } from "./harmless.ts";

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
