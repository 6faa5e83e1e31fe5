import { NAMED_SINCE } from "../columns.ts";
import type { Header, JournalHeader } from "./header.ts";

/** A journal's file: its header; `none` where its first line is none; undefined where the file is missing. */
export type Found = JournalHeader | "none" | undefined;

/** Which of a store's journals belong to its document, and why the others do not. */
export interface Chain {
  /** Whether the changes in it are to be applied. */
  readonly usesOld: boolean;
  readonly usesJournal: boolean;
  readonly oldFault?: string;
  readonly journalFault?: string;
}

/**
 * Tells whether a document and the journals beside it were written one after the other.
 * `db.journal` goes on from the document, or from `db.journal.old`, which does.
 */
export function chainOf(base: Header | undefined, old: Found, journal: Found): Chain {
  const { version, store, journal: next, sequence } = base ?? { version: NAMED_SINCE, journal: null, sequence: 0 };
  const isNamed = version >= NAMED_SINCE;
  const hasNames = [old, journal].some((file) => typeof file === "object");
  // Files of older versions had no names, and a document may just have been brought up from them.
  if (!hasNames && (!isNamed || next === null)) {
    const uses = !isNamed || !base;
    if (isNamed && base && journal === undefined) return missing(MISSING);
    return { usesOld: uses, usesJournal: uses };
  }
  const follows = (file: Found): boolean =>
    typeof file === "object" && (file.id === next || (file.after === next && file.sequence === sequence));
  const follow = (file: Found, before: Found): boolean =>
    typeof file === "object" && typeof before === "object" && (file.after === before.id || file.id === before.id);
  const isForeign = (file: Found): boolean => typeof file === "object" && store !== undefined && file.store !== store;
  if (isForeign(old) || isForeign(journal))
    return {
      usesOld: false,
      usesJournal: false,
      ...(isForeign(old) && { oldFault: FOREIGN }),
      ...(isForeign(journal) && { journalFault: FOREIGN }),
    };
  if (journal === undefined) return follows(old) ? { usesOld: true, usesJournal: false } : missing(MISSING);
  if (old === "none") {
    const isNext = typeof journal === "object" && (follows(journal) || journal.after === next);
    return { usesOld: isNext || journal === "none", usesJournal: isNext || journal === "none", oldFault: HEADLESS };
  }
  if (journal === "none") return { usesOld: follows(old), usesJournal: true, journalFault: HEADLESS };
  if (follows(old) && follow(journal, old)) return { usesOld: true, usesJournal: true };
  if (!follows(journal))
    return { usesOld: false, usesJournal: false, journalFault: base ? ANOTHER_TIME : WITHOUT_DOCUMENT };
  // What was compacted is removed last.
  if (old === undefined || follow(journal, old)) return { usesOld: false, usesJournal: true };
  return { usesOld: false, usesJournal: true, oldFault: ANOTHER_TIME };
}

const missing = (journalFault: string): Chain => ({ usesOld: false, usesJournal: false, journalFault });

const MISSING =
  "it is missing, and changes that were acknowledged may be lost with it. If this db.json is a copy that was put here by itself, a repair makes it a store";
const HEADLESS = "its first line is missing or damaged";
const FOREIGN = "it belongs to another store";
const ANOTHER_TIME = "it is of another time than db.json, so changes between them are missing";
const WITHOUT_DOCUMENT = "it goes on from a db.json, which is missing";
