import { crc32 } from "node:zlib";
import {
  OLDEST_VERSION,
  tablesOf,
  isRecord,
  TABLE_NAMES,
  VERSION,
  type Entry,
  type TableName,
  entryOf,
  upgrade,
} from "../../records.ts";
import { NO_HEADER, TWICE, UNREADABLE, type Damage, refusalOf, unknownVersion } from "./refusals.ts";
import type { Document } from "../document/document.ts";
import { parseHeader, type Header } from "./header.ts";
import type { JournalFile } from "./journal-lines.ts";
import { chain, checksumOf, hex, lineBatches, parseObject, readFrom, unseal, withoutComma } from "./lines.ts";

export type Item =
  | { readonly header: Header }
  | { readonly entry: Entry; damageAt(what: string): Damage }
  | { readonly damage: Damage };

/** The last line of a `db.json`. `checksum` is a chain over those of the first line and of all records. */
export function lastLine(checksum: number): string {
  return `"checksum":"${hex(checksum)}"}`;
}

/**
 * Fills a document from a `db.json`, as a stream.
 * @returns undefined if there is none
 * @throws {StoreRefused} at the first damage, naming the line
 */
export async function readDocument(path: string, document: Document): Promise<Header | undefined> {
  let header: Header | undefined;
  try {
    for await (const items of itemsOf({ path, content: () => readFrom(path) }))
      for (const item of items) {
        if ("damage" in item) throw refusalOf(item.damage);
        if ("header" in item) header = item.header;
        else if (!document.load(item.entry[0], item.entry[1])) throw refusalOf(item.damageAt(TWICE));
      }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return header;
}

/**
 * Reads a `db.json` as far as it can be read: its header, its records, and what is damaged, each at its place.
 * @throws {StoreRefused} if it was written by a newer svc
 */
export async function* itemsOf(file: JournalFile): AsyncIterable<Item[]> {
  const lines = new DocumentLines(file.path);
  for await (const batch of lineBatches(file.content()))
    yield batch.flatMap((line) => lines.next(line.bytes, line.offset));
  yield lines.end();
}

/** The first line of a `db.json`; undefined if it is not one. @throws {StoreRefused} if a newer svc wrote it */
export async function headerOf(file: JournalFile): Promise<Header | undefined> {
  for await (const [first] of lineBatches(file.content()))
    if (first) return headerIn(file.path, first.bytes.toString().replace(/\r$/, ""));
  return undefined;
}

/** @throws {StoreRefused} also if the first line is not a header */
export async function requireHeader(file: JournalFile): Promise<Header> {
  const header = await headerOf(file);
  if (header) return header;
  throw refusalOf({ file: file.path, line: 1, what: NO_HEADER });
}

function headerIn(path: string, text: string): Header | undefined {
  const header = parseHeader(text);
  if (header && (header.version > VERSION || header.version < OLDEST_VERSION))
    throw unknownVersion(path, header.version);
  return header;
}

/** Reads a `db.json` line by line, also after damaged lines. */
class DocumentLines {
  readonly #file: string;
  #line = 0;
  #offset = 0;
  /** Undefined until the header was found. */
  #version: number | undefined;
  #table: TableName | undefined;
  /** The number of tables that have started. */
  #tables = 0;
  #isComplete = false;
  #isFaulty = false;
  #isDifferent = false;
  #isReturned = false;
  /** Over the checksums of the header and of all records. */
  #chain = 0;

  constructor(file: string) {
    this.#file = file;
  }

  next(line: Buffer, offset: number): Item[] {
    this.#line++;
    this.#offset = offset;
    // An editor, or git on another system, may rewrite line ends; nothing else is lost.
    const isReturned = line.at(-1) === RETURN;
    const items = this.#next(isReturned ? line.subarray(0, -1) : line);
    if (!isReturned || this.#isReturned) return items;
    this.#isReturned = true;
    return [this.#damage("line endings were changed to CR LF"), ...items];
  }

  #next(bytes: Buffer): Item[] {
    if (this.#version === undefined) return this.#first(bytes, bytes.toString());
    return bytes[0] === OPEN ? this.#record(bytes) : this.#inside(bytes, bytes.toString());
  }

  end(): Item[] {
    this.#line++;
    if (!this.#isComplete) return [this.#damage("the end is missing, with any records before it")];
    if (!this.#isDifferent || this.#isFaulty) return [];
    return [{ damage: { file: this.#file, what: DIFFERENT } }];
  }

  /** Until the header was found. */
  #first(bytes: Buffer, text: string): Item[] {
    const header = headerIn(this.#file, text);
    if (!header) return this.#line === 1 ? [this.#damage(NO_HEADER), ...this.#found(bytes)] : this.#inside(bytes, text);
    this.#version = header.version;
    this.#chain = crc32(bytes);
    return this.#line === 1 ? [{ header }] : [this.#damage("unexpected header"), { header }];
  }

  #inside(bytes: Buffer, text: string): Item[] {
    const next = (): TableName | undefined => tablesOf(this.#version ?? VERSION)[this.#tables];
    const heading = TABLE_NAMES.find((name) => text === `"${name}":[`);
    const wasComplete = this.#isComplete;
    const wasOpen = this.#table !== undefined;
    let isExpected: boolean;
    if (heading) {
      isExpected = !wasOpen && heading === next();
      this.#table = heading;
      this.#tables++;
    } else if (text === "],") {
      isExpected = wasOpen;
      this.#table = undefined;
    } else if (!wasComplete && /^"checksum":"[0-9a-f]{8}"\}$/.test(text)) {
      isExpected = !wasOpen && next() === undefined;
      this.#isComplete = true;
      this.#isDifferent = text !== lastLine(this.#chain);
    } else return this.#record(bytes);
    if (isExpected && !wasComplete) return [];
    return [this.#damage("this line is out of order, or the line before it is missing")];
  }

  #record(bytes: Buffer): Item[] {
    const table = this.#table;
    const isStray = this.#isComplete || table === undefined;
    this.#chain = chain(this.#chain, checksumOf(withoutComma(bytes)));
    const found = this.#found(bytes);
    if (found.length === 0) return [this.#damage(UNREADABLE, describe(bytes.toString(), table))];
    return isStray ? [this.#damage("this line is out of order"), ...found] : found;
  }

  /** The record in a line. If the line above it is damaged, its columns show which kind it is. */
  #found(bytes: Buffer): Item[] {
    const value = parseObject(unseal(withoutComma(bytes)));
    const entry = value && entryIn(value, this.#table, this.#version ?? OLDEST_VERSION);
    const [file, line, offset] = [this.#file, this.#line, this.#offset];
    return entry ? [{ entry, damageAt: (what) => ({ file, line, offset, what }) }] : [];
  }

  #damage(what: string, of?: string): Item {
    this.#isFaulty = true;
    return { damage: { file: this.#file, line: this.#line, offset: this.#offset, what, of } };
  }
}

const DIFFERENT = "the checksum differs: the first line was altered, or records are missing or stand in another order";
const OPEN = "{".charCodeAt(0);
const RETURN = "\r".charCodeAt(0);

/** A record of the table, or if the line above it is damaged, of the table whose columns it has. */
function entryIn(value: object, table: TableName | undefined, version: number): Entry | undefined {
  const record = table && upgrade(table, value, version);
  return table && isRecord(table, record) ? ([table, record] as Entry) : entryOf(value, version);
}

/** What a damaged line held. Never more than kind and key: a line may hold secrets. */
function describe(line: string, table: TableName | undefined): string | undefined {
  if (table === "states") return "states";
  const key = /"(?:session_id|id)":"(svc_session_[0-9a-f-]{36}|[\w-]{1,64})"/;
  const found = (table === "sessions" ? /"session_id":"(svc_session_[0-9a-f-]{36})"/ : key).exec(line)?.[1];
  return [table, found].filter(Boolean).join(" ") || undefined;
}
