import { OLDEST_VERSION, TABLE_NAMES, VERSION, upgrade } from "../../records.ts";
import { isValidChange, type Change } from "../document/tables.ts";
import { type Found, parseJournalHeader, chainOf, type Chain, type Header } from "./header.ts";
import { UNREADABLE, type Damage, type Report, unknownVersion, missingChanges, refusalOf } from "./refusals.ts";
import { eachLine, lineBatches, seal, unseal, type Line } from "./lines.ts";
import type { ViewedFile, ReadView } from "./read-view.ts";

/** A line of the journal: the changes of one group of operations, and their number. */
export interface Numbered {
  readonly sequence: number;
  readonly changes: readonly Change[];
}

/** A line of the journal, with its checksum and its end. */
export function encodeLine(sequence: number, changes: readonly Change[]): Buffer {
  return Buffer.from(`${seal({ sequence, changes }).line}\n`);
}

/** @param version of its records. @returns undefined if the line's checksum does not match */
export function decodeLine(line: Buffer, version: number = VERSION): Numbered | undefined {
  const json = unseal(line);
  if (json === undefined) return undefined;
  const { sequence, changes } = JSON.parse(json) as Partial<Numbered>;
  if (typeof sequence !== "number" || !Array.isArray(changes)) return undefined;
  const upgraded = changes.map((change: Change): Change => {
    const [action, name, subject] = change;
    const isRecord = action === "put" && TABLE_NAMES.includes(name) && typeof subject === "object";
    return isRecord ? ["put", name, upgrade(name, subject, version)] : change;
  });
  return upgraded.every(isValidChange) ? { sequence, changes: upgraded } : undefined;
}

export type JournalFile = Pick<ViewedFile, "path" | "content">;

/** The header of a journal. @throws {StoreRefused} if a newer svc wrote it */
export async function journalHeaderOf(file: JournalFile | undefined): Promise<Found> {
  if (!file) return undefined;
  for await (const [first] of lineBatches(file.content())) {
    if (!first) continue;
    const header = first.isWhole ? parseJournalHeader(first.bytes) : undefined;
    if (header && header.version > VERSION) throw unknownVersion(file.path, header.version);
    return { header };
  }
  return { header: undefined };
}

interface JournalOptions {
  readonly report: Report;
  take(line: Numbered): void;
  /** Whether nothing was written after it, so that its last line counts only if it is whole. */
  readonly isLast: boolean;
  /** Whether a crash may have cut its last line off. */
  readonly mayBeTorn: boolean;
  /** Whether its first line is damage that was reported. */
  readonly isHeadless: boolean;
}

/** What is whole of a journal, and the last line that was cut off. */
interface JournalRead {
  readonly length: number;
  readonly torn: { readonly file: string; readonly offset: number; readonly bytes: number } | undefined;
}

/** Reads a journal, line by line. A last line that a crash cut off, or left with holes, is not damage. */
export async function readJournal(
  file: JournalFile,
  { report, take, isLast, mayBeTorn, isHeadless }: JournalOptions,
): Promise<JournalRead> {
  let version = OLDEST_VERSION;
  let number = 0;
  let highest = 0;
  let length = 0;
  let torn: { offset: number; damage: Damage } | undefined;
  const seen = new Set<number>();
  const size = await eachLine(file.content(), (line) => {
    if (torn) report(torn.damage);
    torn = undefined;
    number++;
    const { offset, isWhole } = line;
    const header = number === 1 && isWhole ? parseJournalHeader(line.bytes) : undefined;
    if (header) version = header.version;
    if (header) length = offset + line.bytes.length + 1;
    if (header || (number === 1 && isHeadless && !decodeLine(Buffer.from(line.bytes), version))) return;
    const at = (what: string, of?: string): Damage => ({ file: file.path, line: number, offset, what, of });
    const [entry, isAsWritten] = entryOf(line, version, isLast);
    if (!entry) {
      const damage = at(UNREADABLE, changesIn(line.bytes.toString()));
      // Only behind the last line can a crash have left something.
      if (mayBeTorn && (!isWhole || hasHole(line.bytes, offset))) torn = { offset, damage };
      else report(damage);
      return;
    }
    if (!isAsWritten) report(at("the end of this line was altered"));
    else if (entry.sequence < highest && !seen.has(entry.sequence)) report(at("this line is out of order"));
    seen.add(entry.sequence);
    highest = Math.max(highest, entry.sequence);
    length = offset + line.bytes.length + 1;
    take(entry);
  });
  return { length, torn: torn && { file: file.path, offset: torn.offset, bytes: size - torn.offset } };
}

/** A line's entry, and whether its end is unaltered. A line without its end counts if others follow it. */
function entryOf({ bytes, isWhole }: Line, version: number, isLast: boolean): [Numbered | undefined, boolean] {
  if (isWhole) return [decodeLine(bytes, version), true];
  // A whole line and one byte more is not a cut: the byte was its end, and something changed it.
  return [decodeLine(bytes.subarray(0, -1), version) ?? (isLast ? undefined : decodeLine(bytes, version)), false];
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

/** What a damaged line changed, as far as it can be read. Kinds and keys alone: it may hold secrets. */
function changesIn(line: string): string | undefined {
  const names = TABLE_NAMES.join("|");
  const found = [
    ...line.matchAll(new RegExp(`\\["(put|delete)","(${names})",(?:\\{"(?:id|state)":)?"([\\w-]{1,64})"`, "g")),
  ];
  const shown = found.map(([, action, name, key]) => `${action} ${name}${name === "states" ? "" : ` ${key}`}`);
  return shown.length > 0 ? shown.join(", ") : undefined;
}

type JournalFiles = Pick<ReadView, "journalPath" | "old" | "journal">;

/**
 * Reads the journals that continue a document.
 * @param base undefined if there is no document. `"unknown"`: its header can't be read
 * @returns how they continue it, their headers, and what is whole of `db.journal`
 */
export async function readJournals(
  { journalPath, old, journal }: JournalFiles,
  base: Header | undefined | "unknown",
  take: (line: Numbered, file: string) => void,
  report: Report,
) {
  const [oldFound, found] = [await journalHeaderOf(old), await journalHeaderOf(journal)];
  const [oldHeader, header] = [oldFound?.header, found?.header];
  const chain: Chain = base === "unknown" ? { usesOld: true, usesJournal: true } : chainOf(base, oldFound, found);
  if (chain.oldFault !== undefined && old) report({ file: old.path, what: chain.oldFault });
  if (chain.journalFault !== undefined) report({ file: journalPath, what: chain.journalFault });
  let last = typeof base === "object" ? base.sequence : 0;
  const read = (file: JournalFile, isHeadless: boolean, isLast = true, mayBeTorn = true): Promise<JournalRead> =>
    readJournal(file, {
      report,
      isHeadless,
      isLast,
      mayBeTorn,
      take(line) {
        last = Math.max(last, line.sequence);
        take(line, file.path);
      },
    });
  let result: JournalRead = { length: 0, torn: undefined };
  if (old && chain.usesOld) {
    const { torn } = await read(old, chain.oldFault !== undefined, !journal, !journal || header !== undefined);
    if (!journal) result = { length: 0, torn };
    // The next journal's header has the last change of this one.
    if (header && header.sequence > last) report({ file: old.path, what: missingChanges(last, header.sequence + 1) });
  }
  if (journal && chain.usesJournal) result = await read(journal, chain.journalFault !== undefined);
  return { ...chain, header, oldHeader, ...result };
}

/**
 * Applies the changes that a document does not have yet, in order.
 * @returns also the number of the last change, and how many changes of `db.journal` the document did not have (`late`)
 * @throws {StoreRefused} if a journal is damaged, or does not continue the document
 */
export async function replay(files: JournalFiles, base: Header | undefined, apply: (change: Change) => void) {
  let sequence = base?.sequence ?? 0;
  let late = 0;
  const take = (line: Numbered, file: string): void => {
    if (line.sequence <= sequence) return;
    if (line.sequence > sequence + 1) throw refusalOf({ file, what: missingChanges(sequence, line.sequence) });
    for (const change of line.changes) apply(change);
    sequence = line.sequence;
    if (file === files.journalPath) late++;
  };
  const read = await readJournals(files, base, take, (damage) => {
    throw refusalOf(damage);
  });
  return { ...read, sequence, late };
}

export type Replayed = Awaited<ReturnType<typeof replay>>;
