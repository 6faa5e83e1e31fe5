import { chainOf, type Chain } from "./chain.ts";
import type { Change } from "../document/change.ts";
import type { Header, JournalHeader } from "./header.ts";
import { missingChanges, type Report } from "./damage.ts";
import { refusalOf } from "./refusals.ts";
import { journalHeaderOf, readJournal, type Numbered, type Torn } from "./journal-lines.ts";
import type { ReadView } from "./read-view.ts";

export interface JournalsRead extends Chain {
  /** The first line of `db.journal`, and of `db.journal.old`. */
  readonly header: JournalHeader | undefined;
  readonly oldHeader: JournalHeader | undefined;
  /** How much of `db.journal` is whole. */
  readonly length: number;
  readonly torn: Torn | undefined;
}

type JournalFiles = Pick<ReadView, "journalPath" | "old" | "journal">;

/**
 * Reads the journals that continue a document.
 * @param base undefined if there is no document. `"unknown"`: its header can't be read
 */
export async function readJournals(
  { journalPath, old, journal }: JournalFiles,
  base: Header | undefined | "unknown",
  take: (line: Numbered, file: string) => void,
  report: Report,
): Promise<JournalsRead> {
  const [oldFound, found] = [await journalHeaderOf(old), await journalHeaderOf(journal)];
  const chain: Chain = base === "unknown" ? { usesOld: true, usesJournal: true } : chainOf(base, oldFound, found);
  if (chain.oldFault !== undefined && old) report({ file: old.path, what: chain.oldFault });
  if (chain.journalFault !== undefined) report({ file: journalPath, what: chain.journalFault });
  const header = found?.header;
  const oldHeader = oldFound?.header;
  let last = typeof base === "object" ? base.sequence : 0;
  const takeFrom = (file: string, line: Numbered): void => {
    last = Math.max(last, line.sequence);
    take(line, file);
  };
  let torn: Torn | undefined;
  if (old && chain.usesOld) {
    const read = await readJournal(old, {
      report,
      take: (line) => takeFrom(old.path, line),
      isLast: !journal,
      mayBeTorn: !journal || header !== undefined,
      isHeadless: chain.oldFault !== undefined,
    });
    if (!journal) ({ torn } = read);
    // The next journal's header has the last change of this one.
    if (header && header.sequence > last) report({ file: old.path, what: missingChanges(last, header.sequence + 1) });
  }
  if (!journal || !chain.usesJournal) return { ...chain, header, oldHeader, length: 0, torn };
  const read = await readJournal(journal, {
    report,
    take: (line) => takeFrom(journalPath, line),
    isLast: true,
    mayBeTorn: true,
    isHeadless: chain.journalFault !== undefined,
  });
  return { ...chain, header, oldHeader, ...read };
}

export interface Replayed extends JournalsRead {
  /** The number of the last change. */
  readonly sequence: number;
  /** How many changes of `db.journal` the document did not have. */
  readonly late: number;
}

/**
 * Applies the changes that a document does not have yet, in order.
 * @throws {StoreRefused} if a journal is damaged, or does not continue the document
 */
export async function replay(
  files: JournalFiles,
  base: Header | undefined,
  apply: (change: Change) => void,
): Promise<Replayed> {
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
