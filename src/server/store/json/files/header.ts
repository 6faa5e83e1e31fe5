import { randomBytes } from "node:crypto";
import { NAMED_SINCE, VERSION } from "../../columns.ts";
import { parseObject, seal, unseal } from "./lines.ts";

export const FORMAT = "svc-identity";
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
