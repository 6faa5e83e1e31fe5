import { open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import type { Adapter } from "lowdb";
import { StoreRefused } from "../store.ts";
import { TABLE_NAMES, type AnyRecord, type Document, type TableName } from "./document.ts";
import { damaged, hex, lines } from "./journal.ts";

export const FORMAT = "svc-identity";
/** The newest that this svc writes. */
export const VERSION = 1;
const CHUNK_LENGTH = 1 << 18;

interface Header {
  format: string;
  version: number;
  sequence: number;
}

/**
 * `db.json`: the document as valid JSON with a record a line, its last value a checksum over all before.
 * It is read and written as a stream, because one string of it could be longer than V8 allows.
 */
export class Snapshot implements Adapter<Document> {
  /** The number of the last change that the file holds for certain. */
  sequence = 0;
  readonly #path: string;
  readonly #document: Document;

  constructor(path: string, document: Document) {
    this.#path = path;
    this.#document = document;
  }

  /** Fills the document from the file. Null: there is none. @throws {StoreRefused} where it is not what was written */
  async read(): Promise<Document | null> {
    let checksum = 0;
    let number = 0;
    let table: TableName | undefined;
    let isComplete = false;
    for await (const { line } of lines(this.#path)) {
      number++;
      const text = line.toString();
      if (isComplete) throw this.#damaged(number);
      if (number === 1) this.sequence = this.#header(text).sequence;
      else if (text.startsWith(`"crc32":`)) {
        if (text !== `"crc32":"${hex(checksum)}"}`) throw this.#damaged(number, "its checksum differs");
        isComplete = true;
      } else if (text === "]," && table) table = undefined;
      else if (table) this.#put(table, text, number);
      else table = TABLE_NAMES.find((name) => text === `"${name}":[`) ?? this.#fail(number);
      checksum = crc32("\n", crc32(line, checksum));
    }
    if (number === 0 && (await stat(this.#path).catch(() => undefined)) === undefined) return null;
    if (!isComplete) throw this.#damaged(number, "its end is missing");
    return this.#document;
  }

  /**
   * Puts the document in the file's place, whole or not at all. Records may change while it is written:
   * the changes after `sequence` are in the journal, and applying them again gives the same.
   */
  async write(document: Document): Promise<void> {
    const fresh = `${this.#path}.${randomBytes(6).toString("hex")}.tmp`;
    const handle = await open(fresh, "wx", 0o600);
    try {
      const length = await writeAll(handle, this.#chunks(document));
      await handle.sync();
      const { size } = await handle.stat();
      if (size !== length) throw new Error(`${fresh} has ${size} bytes instead of ${length}`);
      await handle.close();
      await rename(fresh, this.#path);
      await syncDirectory(dirname(this.#path));
    } catch (error) {
      await handle.close().catch(() => undefined);
      await rm(fresh, { force: true });
      throw error;
    }
  }

  *#chunks(document: Document): Iterable<string> {
    const header: Header = { format: FORMAT, version: VERSION, sequence: this.sequence };
    yield `${JSON.stringify(header).slice(0, -1)},\n`;
    for (const name of TABLE_NAMES) {
      yield `"${name}":[\n`;
      let separator = "";
      for (const record of document.tables[name].values()) {
        yield `${separator}${JSON.stringify(record)}`;
        separator = ",\n";
      }
      yield separator === "" ? "],\n" : "\n],\n";
    }
  }

  #header(line: string): Header {
    let header: Partial<Header> | undefined;
    try {
      header = JSON.parse(line.replace(/,$/, "}")) as Partial<Header>;
    } catch {}
    if (header?.format !== FORMAT || !Number.isSafeInteger(header.version) || !Number.isSafeInteger(header.sequence)) {
      throw new StoreRefused(
        "damaged",
        `${this.#path} is no svc store, or its first line is damaged. Nothing was changed. Choose another --store.`,
      );
    }
    if (header.version !== VERSION) throw newer(this.#path, header.version!);
    return header as Header;
  }

  #put(table: TableName, line: string, number: number): void {
    try {
      const record = JSON.parse(line.endsWith(",") ? line.slice(0, -1) : line) as AnyRecord;
      this.#document.apply(["put", table, record]);
    } catch {
      this.#fail(number);
    }
  }

  #fail(number: number): never {
    throw this.#damaged(number);
  }

  #damaged(number: number, what = "it is not what was written"): StoreRefused {
    return damaged(this.#path, `line ${number}: ${what}`);
  }
}

export function newer(path: string, version: number): StoreRefused {
  return new StoreRefused(
    "unusable",
    `${path} was written by a newer svc (format ${version}). Update svc, or choose another --store.`,
  );
}

/** @returns the number of bytes written */
async function writeAll(handle: FileHandle, chunks: Iterable<string>): Promise<number> {
  let checksum = 0;
  let length = 0;
  let pending = "";
  const flush = async (text: string): Promise<void> => {
    const bytes = Buffer.from(text);
    checksum = crc32(bytes, checksum);
    for (let done = 0; done < bytes.length;) {
      done += (await handle.write(bytes, done, bytes.length - done, length + done)).bytesWritten;
    }
    length += bytes.length;
  };
  for (const chunk of chunks) {
    pending += chunk;
    if (pending.length < CHUNK_LENGTH) continue;
    await flush(pending);
    pending = "";
  }
  await flush(pending);
  await flush(`"crc32":"${hex(checksum)}"}\n`);
  return length;
}

/** Makes renames and removals in a directory durable; Windows knows no such thing. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
