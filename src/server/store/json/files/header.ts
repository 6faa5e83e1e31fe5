import { randomBytes } from "node:crypto";
import { NAMED_SINCE, VERSION } from "../../records.ts";
import { parseObject, seal, unseal } from "./lines.ts";

const FORMAT = "svc-identity";
const JOURNAL_FORMAT = "svc-identity-journal";

/** The first line of a `db.json`. */
export interface Header {
  readonly version: number;
  /** The number of the last change that the document holds for certain. */
  readonly sequence: number;
  /** Random. It identifies the store and never changes. */
  readonly store: string | undefined;
  /** The `id` of the journal that continues this document; null for the next one that starts here. */
  readonly journal: string | null;
}

/** The first line of a journal. */
export interface JournalHeader {
  readonly version: number;
  readonly store: string;
  /** Random. */
  readonly id: string;
  /** The journal that it continues, or the one whose changes the document had then. */
  readonly after: string | null;
  /** The number of the last change before it. */
  readonly sequence: number;
}

/**
 * The number of the change that fills a store at once, by a copy, an import or a repair. From then on its journal says that
 * there must be a `db.json`: one that begins at 0 is a new store's, which has none yet.
 */
export const FILLED = 1;

/** The header of a store without a `db.json`. */
export const BEGINNING: Header = { version: VERSION, sequence: 0, store: undefined, journal: null };

/** 24 random hexadecimal digits, for a store or a journal. */
export function newId(): string {
  return randomBytes(12).toString("hex");
}

export function headerLine({ sequence, store, journal }: Header): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, store, journal, sequence }).slice(0, -1)},`;
}

/** @returns undefined if it is not the first line of a `db.json` */
export function parseHeader(line: string): Header | undefined {
  const found = parseObject(line.replace(/,$/, "}"));
  const { format, version, sequence, store, journal = null } = found ?? {};
  if (format !== FORMAT || !Number.isSafeInteger(version) || !Number.isSafeInteger(sequence)) return undefined;
  const isNamed = typeof store === "string" && (journal === null || typeof journal === "string");
  if ((version as number) >= NAMED_SINCE && (version as number) <= VERSION && !isNamed) return undefined;
  return { version: version as number, sequence: sequence as number, store, journal } as Header;
}

export function journalHeaderLine({ store, id, after, sequence }: Omit<JournalHeader, "version">): Buffer {
  return Buffer.from(`${seal({ format: JOURNAL_FORMAT, version: VERSION, store, id, after, sequence }).line}\n`);
}

/** @returns undefined if it is not the first line of a journal */
export function parseJournalHeader(line: Buffer): JournalHeader | undefined {
  const found = parseObject(unseal(Buffer.from(line)));
  return found?.["format"] === JOURNAL_FORMAT ? (found as unknown as JournalHeader) : undefined;
}

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
