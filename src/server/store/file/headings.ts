/** The first and the last lines of a `db.json` and of its journal. What reads one returns undefined if it is none. */
import { randomBytes } from "node:crypto";
import { isObject } from "../../../text/json.ts";
import { TABLE_NAMES, STORE_VERSION, type TableName } from "../records.ts";
import type { SnapshotInfo } from "../store.ts";
import { hex, parsedObject, seal, unseal } from "./lines.ts";

const FORMAT = "svc-identity";
const JOURNAL_FORMAT = "svc-identity-journal";

export interface Heading {
  /** Random. It identifies the store and never changes. */
  readonly store: string;
  /** The `id` of the journal whose changes are in the document up to `number`. */
  readonly journal: string;
  /** The number of the last change in it. */
  readonly number: number;
  /** ISO 8601, by the machine's clock. */
  readonly written_at: string;
  readonly records: Readonly<Record<TableName, number>>;
  /** If it is a snapshot. */
  readonly snapshot?: Pick<SnapshotInfo, "name" | "created_at">;
}

export interface JournalHeading {
  readonly store: string;
  /** Random. */
  readonly id: string;
  /** The `journal` of the document that it continues. Null if the store had no document yet. */
  readonly after: string | null;
  /** The `number` of that document. */
  readonly number: number;
  /** Of its layout. Absent: this one. */
  readonly version?: number;
}

/** 24 random hexadecimal digits, for a store or a journal. */
export function newId(): string {
  return randomBytes(12).toString("hex");
}

/**
 * Whether a journal belongs to a document: it continues it, or its changes are in it, as when a crash left no time to begin
 * the next.
 * @param last the number of the last change in the journal
 */
export function belongs(journal: JournalHeading, last: number, document: Heading | undefined): boolean {
  if (!document) return journal.after === null;
  if (journal.store !== document.store) return false;
  if (journal.after === document.journal) return journal.number === document.number;
  // A document that replaces all records has a number of its own.
  return journal.id === document.journal && last >= document.number - 1;
}

export function headingLine({ store, journal, number, written_at, records, snapshot }: Heading): string {
  const heading = { format: FORMAT, version: STORE_VERSION, store, journal, number, written_at, records, snapshot };
  return `${JSON.stringify(heading).slice(0, -1)},`;
}

/** @param crc of everything before it */
export function lastLine(crc: number): string {
  return `"checksum":"${hex(crc)}"}`;
}

export function openingOf(line: Buffer): Readonly<Record<string, unknown>> | undefined {
  return parsedObject(line.toString().replace(/,\r?$/, "}"));
}

export function versionOf(value: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const version = value?.["format"] === FORMAT ? value["version"] : undefined;
  return typeof version === "number" ? version : undefined;
}

export function headingOf(value: Readonly<Record<string, unknown>> | undefined): Heading | undefined {
  const records = value?.["records"];
  const isHeading =
    value?.["format"] === FORMAT &&
    ["store", "journal", "written_at"].every((name) => typeof value[name] === "string") &&
    Number.isSafeInteger(value["number"]) &&
    isObject(records) &&
    TABLE_NAMES.every((name) => Number.isSafeInteger(records[name]));
  return isHeading ? (value as unknown as Heading) : undefined;
}

/** What a `db.json` has beside its tables. */
export const HEADING_NAMES = "format version store journal number written_at records snapshot checksum".split(" ");

export function journalHeadingLine({ store, id, after, number }: JournalHeading): string {
  return `${seal({ format: JOURNAL_FORMAT, version: STORE_VERSION, store, id, after, number })}\n`;
}

export function journalHeadingIn(line: Buffer): JournalHeading | undefined {
  const found = unseal(line);
  return found?.["format"] === JOURNAL_FORMAT ? (found as unknown as JournalHeading) : undefined;
}
