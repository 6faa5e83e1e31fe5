import { NAMED_SINCE } from "../../columns.ts";
import type { Header, JournalHeader } from "./header.ts";

/** A journal's file; its header is undefined if its first line is not one. Undefined if there is no such file. */
export type Found = { readonly header: JournalHeader | undefined } | undefined;

/** Which of a store's journals belong to its document, and why the others do not. */
export interface Chain {
  /** Whether the changes in it are to be applied. */
  readonly usesOld: boolean;
  readonly usesJournal: boolean;
  readonly oldFault?: string | undefined;
  readonly journalFault?: string | undefined;
}

type Named = JournalHeader | undefined;

/**
 * Checks whether a document and the journals beside it continue each other.
 * `db.journal` continues the document, or `db.journal.old`, which does.
 */
export function chainOf(base: Header | undefined, oldFile: Found, journalFile: Found): Chain {
  const { version, store, journal: next, sequence } = base ?? { version: NAMED_SINCE, journal: null, sequence: 0 };
  const isNamed = version >= NAMED_SINCE;
  const old = oldFile?.header;
  const journal = journalFile?.header;
  // Files of older versions had no names, and a document may just have been brought up from them.
  if (!old && !journal && (!isNamed || next === null)) {
    const uses = !isNamed || !base;
    return { usesOld: uses, usesJournal: uses, journalFault: uses || journalFile ? undefined : MISSING };
  }
  const follows = (file: Named): boolean =>
    file !== undefined && (file.id === next || (file.after === next && file.sequence === sequence));
  const follow = (file: Named, before: Named): boolean =>
    file !== undefined && before !== undefined && (file.after === before.id || file.id === before.id);
  const faultOf = (file: Named): string | undefined =>
    file && store !== undefined && file.store !== store ? FOREIGN : undefined;
  const [oldFault, journalFault] = [faultOf(old), faultOf(journal)];
  if (oldFault ?? journalFault) return { usesOld: false, usesJournal: false, oldFault, journalFault };
  if (!journalFile)
    return { usesOld: follows(old), usesJournal: false, journalFault: follows(old) ? undefined : MISSING };
  if (oldFile && !old) {
    const uses = journal === undefined || follows(journal) || journal.after === next;
    return { usesOld: uses, usesJournal: uses, oldFault: HEADLESS };
  }
  if (!journal) return { usesOld: follows(old), usesJournal: true, journalFault: HEADLESS };
  if (follows(old) && follow(journal, old)) return { usesOld: true, usesJournal: true };
  if (!follows(journal))
    return { usesOld: false, usesJournal: false, journalFault: base ? ANOTHER_TIME : WITHOUT_DOCUMENT };
  // What was compacted is removed last.
  const isExpected = !old || follow(journal, old);
  return { usesOld: false, usesJournal: true, oldFault: isExpected ? undefined : ANOTHER_TIME };
}

const MISSING =
  "it is missing, and changes that were acknowledged may be lost with it. If this db.json is a copy that was put here by itself, a repair makes it a store";
const HEADLESS = "its first line is missing or damaged";
const FOREIGN = "it belongs to another store";
const ANOTHER_TIME = "it is of another time than db.json, so changes between them are missing";
const WITHOUT_DOCUMENT = "the db.json that it continues is missing";
