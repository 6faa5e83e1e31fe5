import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { Adapter } from "lowdb";
import { writeAtomically } from "../../../../disk/write-atomically.ts";
import { byTable, TABLE_NAMES, type TableName } from "../../records.ts";
import type { AnyRecord } from "../document/tables.ts";
import type { Document } from "../document/document.ts";
import { changed, hanging, missing, statOf } from "./refusals.ts";
import { BEGINNING, headerLine, type Header } from "./header.ts";
import { chain, seal } from "./lines.ts";
import { lastLine, readDocument } from "./document-reader.ts";
import type { IsGivenUp } from "./patience.ts";

/** Records that become text in one step, during which requests wait. */
const PIECE = 256;

/**
 * lowdb's adapter for `db.json` and snapshots: the document as valid JSON with a sealed record a line.
 * It is read and written as a stream, because one string of it could be longer than V8 allows.
 */
export class DocumentFile implements Adapter<Document> {
  /** The file's header, or the header of its next version. */
  header: Header = BEGINNING;
  /** Of the file, in bytes; 0 if there is none. */
  size: number;
  readonly #path: string;
  readonly #document: Document;
  /** The files that may have the name: the one that we read or wrote last, and the one that is about to take its place. */
  #accepted: readonly (string | undefined)[];

  constructor(path: string, document: Document) {
    this.#path = path;
    this.#document = document;
    this.#accepted = [identityOf(path)];
    this.size = statOf(path)?.size ?? 0;
  }

  /** Fills the document from the file. Null if there is none. @throws {StoreRefused} if it is damaged */
  async read(): Promise<Document | null> {
    const header = await readDocument(this.#path, this.#document);
    if (!header) return null;
    this.header = header;
    return this.#document;
  }

  /** @throws {StorageUnavailable} if another process has written the file: the lock does not reach other machines */
  check(): void {
    const found = identityOf(this.#path);
    if (this.#accepted.includes(found)) return;
    throw found === undefined ? missing(this.#path) : changed(this.#path);
  }

  /** The same file for a caller who may give up: then nothing takes its place. */
  unless(isGivenUp: IsGivenUp): Adapter<Document> {
    return { read: () => this.read(), write: (document) => this.write(document, isGivenUp) };
  }

  /** Puts the document in the file's place as it is when this is called, whole or not at all. It may change meanwhile. */
  async write(document: Document, isGivenUp: IsGivenUp = () => false): Promise<void> {
    // Records are never changed in their place, so they need no copies.
    const rows = byTable(TABLE_NAMES, (name) => [...document.tables[name].values()]);
    let ours: string | undefined;
    this.size = await writeDocument(
      this.#path,
      this.header,
      (name) => inPieces(rows[name]),
      (temporary) => {
        this.check();
        if (isGivenUp()) throw hanging(this.#path);
        ours = identityOf(temporary);
        this.#accepted = [...this.#accepted, ours];
      },
    );
    this.#accepted = [ours];
  }
}

export function* inPieces<Row>(rows: readonly Row[], size = PIECE): Iterable<readonly Row[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

type Pieces<Row> = Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;

/**
 * Puts a `db.json` in its place, whole or not at all.
 * @param rowsOf the records of a table, some at a time: all of them may not fit in memory
 * @param beforeNaming as for `writeAtomically`
 * @returns its length in bytes
 */
export async function writeDocument(
  path: string,
  header: Header,
  rowsOf: (name: TableName) => Pieces<AnyRecord>,
  beforeNaming?: (temporaryPath: string) => void,
): Promise<number> {
  const fill = async (file: FileHandle): Promise<number> => {
    let length = 0;
    for await (const text of textOf(headerLine(header), rowsOf)) {
      const bytes = Buffer.from(text);
      await file.writeFile(bytes);
      length += bytes.length;
    }
    const { size } = await file.stat();
    if (size !== length) throw new Error(`${path}: ${size} bytes were written instead of ${length}`);
    return size;
  };
  return writeAtomically(path, fill, { beforeNaming });
}

/** Identifies a file. Undefined if there is none. @throws {StorageUnavailable} */
export function identityOf(path: string): string | undefined {
  const there = statOf(path);
  return there && `${there.dev} ${there.ino}`;
}

async function* textOf(header: string, rowsOf: (name: TableName) => Pieces<AnyRecord>): AsyncIterable<string> {
  let checksum = crc32(header);
  yield `${header}\n`;
  for (const name of TABLE_NAMES) {
    yield `"${name}":[\n`;
    let separator = "";
    for await (const rows of rowsOf(name)) {
      let text = "";
      for (const row of rows) {
        const { line, crc } = seal(row);
        checksum = chain(checksum, crc);
        text += separator + line;
        separator = ",\n";
      }
      yield text;
    }
    yield separator === "" ? "],\n" : "\n],\n";
  }
  yield `${lastLine(checksum)}\n`;
}
