import { open, readFile, type FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { Adapter } from "lowdb";
import { writeAtomically } from "../../../disk/write-atomically.ts";
import { TABLE_NAMES } from "../records.ts";
import type { AnyRecord, Tables } from "../memory/tables.ts";
import { lastLine, readLines, readText, type Content } from "./document-reader.ts";
import { headingLine, type Heading } from "./headings.ts";
import { stampOf, NO_LINK, sizeOf } from "./directory.ts";
import { chunksOf } from "./lines.ts";
import { changed, missing } from "./refusals.ts";

/** Records that become text in one step, during which requests wait. */
const PIECE = 256;
/** Longer texts can't be read in one piece. */
const MAX_EDITED_BYTES = 256 << 20;

/** lowdb's adapter for `db.json` and snapshots: valid JSON with a record a line, written and read as a stream. */
export class DocumentFile implements Adapter<Tables> {
  /** What was read. Undefined if there is no file. */
  content: Content | undefined;
  /** In bytes; 0 if there is no file. */
  size: number;
  /** The next time it is written, it begins with this. */
  heading: Omit<Heading, "records" | "written_at"> | undefined;
  /** Called right before a file gets the name. If it throws, nothing is replaced. */
  guard: () => void = () => undefined;
  readonly #path: string;
  /** The file that has the name now: the one that we read or wrote last. */
  #stamp: string | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#stamp = stampOf(path);
    this.size = sizeOf(path);
  }

  /** Reads as much as can be read. What is wrong with it is in `content`. */
  async read(): Promise<Tables | null> {
    if (this.#stamp === undefined) return null;
    const handle = await open(this.#path, NO_LINK);
    try {
      this.content = await readLines(chunksOf(handle));
    } finally {
      await handle.close();
    }
    if (!this.content.isAsWritten && this.size < MAX_EDITED_BYTES) {
      const edited = readText(await readFile(this.#path, "utf8"));
      // What is no JSON is damaged, and has its readable lines.
      if (edited.heading || !this.content.heading) this.content = edited;
    }
    this.heading = this.content.heading;
    return this.content.tables;
  }

  /** @throws {StorageUnavailable} if something else has written the file */
  check(): void {
    const found = stampOf(this.#path);
    if (found === this.#stamp) return;
    throw found === undefined ? missing(this.#path) : changed(this.#path);
  }

  /** Takes the place of the file, whole or not at all. The tables don't change meanwhile. */
  async write(tables: Tables): Promise<void> {
    const heading = { ...this.heading!, written_at: new Date().toISOString(), records: tables.counts() };
    let ours: string | undefined;
    this.size = await writeAtomically(this.#path, (file) => writeText(file, heading, tables), {
      beforeNaming: (temporary) => {
        this.check();
        this.guard();
        ours = stampOf(temporary);
      },
    });
    this.#stamp = ours;
  }
}

/** @returns the length in bytes */
async function writeText(file: FileHandle, heading: Heading, tables: Tables): Promise<number> {
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
  return length;
}
