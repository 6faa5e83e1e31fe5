import type { Stats } from "node:fs";
import { open, readFile, type FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { Adapter } from "lowdb";
import { writeAtomically } from "../../../disk/write-atomically.ts";
import { TABLE_NAMES } from "../records.ts";
import type { AnyRecord, Tables } from "../memory/tables.ts";
import { readLines, readDocumentText, type DocumentContent } from "./document-reader.ts";
import { headingLine, lastLine, type Heading } from "./headings.ts";
import { isSame, NO_LINK, statOf } from "./directory.ts";
import { lineChunksOf } from "./lines.ts";
import { changedFile, missing } from "./refusals.ts";

/** Records that become text in one step, during which requests wait. */
const PIECE = 256;
/** Longer texts can't be read in one piece. */
const MAX_EDITED_BYTES = 256 << 20;

/** lowdb's adapter for `db.json` and snapshots: valid JSON with a record a line, written and read as a stream. */
export class DocumentFile implements Adapter<Tables> {
  /** What was read. Undefined if there is no file. */
  content: DocumentContent | undefined;
  /** In bytes; 0 if there is no file. */
  size: number;
  /** The next time it is written, it begins with this. */
  heading: Omit<Heading, "records" | "written_at"> | undefined;
  /** Called right before a file gets the name. If it throws, nothing is replaced. */
  guard: () => void = () => undefined;
  readonly #path: string;
  /** The file that has the name: the one that we read or wrote last. */
  #file: Stats | undefined;
  /** Of all its bytes. Undefined if they were neither read nor written. */
  #crc: number | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#file = statOf(path);
    this.size = this.#file?.size ?? 0;
  }

  /** Reads as much as can be read. What is wrong with it is in `content`. */
  async read(): Promise<Tables | null> {
    if (this.#file === undefined) return null;
    const handle = await open(this.#path, NO_LINK);
    try {
      this.content = await readLines(this.#counted(handle));
    } finally {
      await handle.close();
    }
    if (!this.content.isAsWritten && this.size < MAX_EDITED_BYTES)
      this.content = better(this.content, readDocumentText(await readFile(this.#path)));
    this.heading = this.content.heading;
    return this.content.tables;
  }

  async *#counted(handle: FileHandle): AsyncIterable<Buffer> {
    this.#crc = 0;
    for await (const chunk of lineChunksOf(handle)) {
      this.#crc = crc32(chunk, this.#crc);
      yield chunk;
    }
  }

  /** @throws {StorageUnavailable} if another file has the name */
  look(): void {
    const there = statOf(this.#path);
    if (isSame(there, this.#file)) return;
    throw there ? changedFile(this.#path) : missing(this.#path);
  }

  /** Takes the place of the file, whole or not at all. The tables don't change meanwhile. */
  async write(tables: Tables): Promise<void> {
    await this.#refuseEdited();
    const heading = { ...this.heading!, written_at: new Date().toISOString(), records: tables.counts() };
    let ours: Stats | undefined;
    const written = await writeAtomically(this.#path, (file) => writeText(file, heading, tables), {
      forDirectory: true,
      beforeNaming: (temporary) => {
        this.look();
        this.guard();
        ours = statOf(temporary);
      },
    });
    this.#file = ours;
    this.size = written.length;
    this.#crc = written.crc;
  }

  /** @throws {StorageUnavailable} if somebody has edited the file, whose work would be lost */
  async #refuseEdited(): Promise<void> {
    this.look();
    if (this.#crc === undefined) return;
    const handle = await open(this.#path, NO_LINK);
    try {
      let crc = 0;
      for await (const chunk of lineChunksOf(handle)) crc = crc32(chunk, crc);
      if (crc !== this.#crc) throw changedFile(this.#path);
    } finally {
      await handle.close();
    }
  }
}

/** What is no JSON has its readable lines, and the place that a person has to correct is said first. */
function better(lines: DocumentContent, edited: DocumentContent): DocumentContent {
  if (edited.heading || lines.tables.isEmpty) return { ...edited, version: edited.version ?? lines.version };
  return { ...lines, faults: [...edited.faults, ...lines.faults] };
}

/** @returns the length in bytes, and the CRC-32 of all of them */
async function writeText(file: FileHandle, heading: Heading, tables: Tables) {
  let length = 0;
  let crc = 0;
  const write = async (text: string): Promise<void> => {
    const bytes = Buffer.from(text);
    await file.writeFile(bytes);
    length += bytes.length;
    crc = crc32(bytes, crc);
  };
  await write(`${headingLine(heading)}\n`);
  for (const name of TABLE_NAMES) {
    const records: readonly AnyRecord[] = tables.records(name);
    await write(`"${name}":[\n`);
    for (let start = 0; start < records.length; start += PIECE) {
      const lines = records.slice(start, start + PIECE).map((record) => JSON.stringify(record));
      await write(`${lines.join(",\n")}${start + PIECE < records.length ? ",\n" : "\n"}`);
    }
    await write("],\n");
  }
  await write(`${lastLine(crc)}\n`);
  return { length, crc };
}
