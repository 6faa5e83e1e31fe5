import { isObject } from "../../../text/json.ts";
import { completed, instanceIdOf, isRecord, keyOf, TABLE_NAMES, type TableName } from "../records.ts";
import type { AnyRecord, Change, Tables } from "../memory/tables.ts";
import { journalHeadingIn, type JournalHeading } from "./headings.ts";
import { linesOf, unseal, type Line } from "./lines.ts";

/** A change as it is written: a whole record, or the key of one that was removed, and its instance. Applying it twice is the same as once. */
export type Written =
  | readonly ["put", TableName, AnyRecord]
  | readonly ["delete", TableName, string, (string | undefined)?];

/** A line of the journal: the changes that were made durable together. */
interface Numbered {
  readonly number: number;
  readonly changes: readonly Written[];
}

export interface JournalContent {
  /** Undefined if its first line is not one. */
  readonly heading: JournalHeading | undefined;
  readonly lines: readonly Numbered[];
  /** A sentence for each place that is damaged. */
  readonly faults: readonly string[];
  /** The last line, if a crash has left it incomplete. */
  readonly torn: Line | undefined;
}

/** Reads a journal as far as it can be read. A last line that a crash cut off, or left with holes, is not damage. */
export async function readJournal(chunks: AsyncIterable<Buffer>): Promise<JournalContent> {
  let heading: JournalHeading | undefined;
  const lines: Numbered[] = [];
  const faults: string[] = [];
  let unreadable: Line | undefined;
  const report = (line: Line, what: string): void =>
    void faults.push(`line ${line.number}, offset ${line.offset}: ${what}`);
  for await (const batch of linesOf(chunks))
    for (const line of batch) {
      // Only behind the last line can a crash have left something.
      if (unreadable) report(unreadable, "checksum mismatch");
      unreadable = undefined;
      if (line.number === 1) {
        heading = line.isWhole ? journalHeadingIn(line.bytes) : undefined;
        if (!heading) report(line, "not the beginning of a journal");
        continue;
      }
      const found = line.isWhole ? numberedIn(line.bytes) : undefined;
      if (found) lines.push(found);
      else unreadable = line;
    }
  if (unreadable && !isTorn(unreadable)) report(unreadable, "checksum mismatch");
  if (!heading && faults.length === 0) faults.push("its first line is missing");
  return { heading, lines, faults, torn: unreadable && isTorn(unreadable) ? unreadable : undefined };
}

/**
 * Applies the changes that a document does not have yet.
 * @param last the number of the last change that it has
 * @returns the number of the last change, how many lines were applied, and what is missing between them
 */
export function applyJournal(
  tables: Tables,
  last: number,
  { lines }: JournalContent,
): { number: number; applied: number; faults: string[] } {
  const faults: string[] = [];
  let number = last;
  let applied = 0;
  for (const line of lines) {
    if (line.number <= last) continue;
    if (line.number <= number) faults.push(`change ${line.number} stands behind change ${number}`);
    if (line.number > number + 1) faults.push(`changes ${number + 1} to ${line.number - 1} are missing`);
    for (const one of line.changes) {
      const change = changeOf(tables, one);
      // In a damaged store, what was deleted may not have been readable.
      if (change.before ?? change.after) tables.apply(change);
    }
    number = line.number;
    applied++;
  }
  return { number, applied, faults };
}

function changeOf(tables: Tables, [action, table, subject, instance_id]: Written): Change {
  if (action === "delete") return { table, before: tables.find(table, subject, instance_id), after: undefined };
  return { table, before: tables.find(table, keyOf(table, subject), instanceIdOf(subject)), after: subject };
}

function numberedIn(line: Buffer): Numbered | undefined {
  const { number, changes } = unseal(line) ?? {};
  if (!Number.isSafeInteger(number) || !Array.isArray(changes)) return undefined;
  const read = changes.map(writtenIn).filter((change) => change !== undefined);
  return read.length === changes.length ? { number: number as number, changes: read } : undefined;
}

/** @returns undefined if a value is not a change */
function writtenIn(value: unknown): Written | undefined {
  if (!Array.isArray(value)) return undefined;
  const [action, table, subject, instance_id] = value as readonly unknown[];
  const name = TABLE_NAMES.find((one) => one === table);
  if (name && action === "delete" && typeof subject === "string")
    return ["delete", name, subject, typeof instance_id === "string" ? instance_id : undefined];
  const record = name && action === "put" && isObject(subject) ? completed(name, subject) : undefined;
  return name && isRecord(name, record) ? ["put", name, record as AnyRecord] : undefined;
}

/** Whether a crash can have left this as the last line. */
function isTorn({ bytes, offset, isWhole }: Line): boolean {
  // A whole line and one byte more is not a cut: the byte was its end, and something changed it.
  if (!isWhole) return !numberedIn(bytes.subarray(0, -1));
  return hasHole(bytes, offset);
}

const PAGE = 4096;

/** Whether a page of a line never reached the disk: it reads as zeros, and JSON has none. */
function hasHole(line: Buffer, offset: number): boolean {
  for (let start = 0; start < line.length;) {
    const end = Math.min(line.length, (Math.floor((offset + start) / PAGE) + 1) * PAGE - offset);
    if (line.subarray(start, end).every((byte) => byte === 0)) return true;
    start = end;
  }
  return false;
}
