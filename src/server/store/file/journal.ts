import { fdatasync, fstatSync, write, type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { writeAtomically, type AtomicWriteOptions } from "../../../disk/write-atomically.ts";
import type { Change } from "../memory/tables.ts";
import { instanceIdOf, keyOf } from "../records.ts";
import type { StorageUnavailable } from "../store.ts";
import { isSame, statOf } from "./directory.ts";
import { journalHeadingLine, type JournalHeading } from "./headings.ts";
import type { Written } from "./journal-reader.ts";
import { seal } from "./lines.ts";
import { changedFile, codeOf, missing, notWritable } from "./refusals.ts";

/**
 * What must fit behind a line that could not be written before the next one is tried. The last page of a file on a full disk
 * takes small changes and refuses larger ones: the store would be away and back many times in one outage.
 */
const ROOM = Buffer.alloc(1 << 16, " ");

export function journalLine(number: number, changes: readonly Change[]): string {
  return `${seal({ number, changes: changes.map(written) })}\n`;
}

function written({ table, before, after }: Change): Written {
  if (after) return ["put", table, after];
  return ["delete", table, keyOf(table, before!), instanceIdOf(before!)];
}

export class Journal {
  readonly id: string;
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #file: Stats;
  readonly #headingLength: number;
  /** What is known to be on the disk, in bytes. */
  #length: number;
  /** Whether the last line could not be written. */
  hasFailed = false;
  /** Why it can never be written again. */
  #broken: StorageUnavailable | undefined;

  private constructor(path: string, handle: FileHandle, id: string, length: number) {
    this.#path = path;
    this.#handle = handle;
    this.#file = fstatSync(handle.fd);
    this.id = id;
    this.#headingLength = length;
    this.#length = length;
  }

  /**
   * Starts a journal in the place of another. That keeps its content and loses its name, so that a process that still writes it
   * notices, and nothing that it wrote is changed.
   */
  static begin(path: string, heading: JournalHeading, options: AtomicWriteOptions = {}): Promise<Journal> {
    const line = Buffer.from(journalHeadingLine(heading));
    const fill = async (file: FileHandle): Promise<Journal> => {
      await file.writeFile(line);
      return new Journal(path, file, heading.id, line.length);
    };
    return writeAtomically(path, fill, { ...options, keepOpen: true, forDirectory: true });
  }

  /** How many bytes were written behind its first line. */
  get length(): number {
    return this.#length - this.#headingLength;
  }

  /**
   * Returns once the line is on the disk.
   * @param look throws if the store's files are not ours any more
   * @throws {StorageUnavailable} when it is not. Only a process that is killed meanwhile may leave it there
   */
  async append(text: string, look: () => void): Promise<void> {
    const line = Buffer.from(text);
    const before = this.#length;
    /** How much of ours there may be behind that. */
    let most = 0;
    try {
      look();
      if (this.hasFailed) {
        most = ROOM.length;
        await writeAll(this.#handle.fd, ROOM);
        await this.#cutBack(most);
        if (this.#broken) throw this.#broken;
      }
      most = line.length;
      await writeAll(this.#handle.fd, line);
      await this.#sync();
      this.#length += most;
      look();
      this.hasFailed = false;
    } catch (error) {
      this.hasFailed = true;
      // It is reported as failed, so the next start must not find it.
      this.#length = before;
      if (most > 0) await this.#cutBack(most);
      throw notWritable(this.#path, error);
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #sync(): Promise<void> {
    try {
      await synced(this.#handle.fd);
    } catch (error) {
      // After a failed sync the kernel may have dropped the pages: a second sync that succeeds would prove nothing.
      throw (this.#broken = changedFile(this.#path, `could not be synced (${codeOf(error)})`));
    }
  }

  /** Takes back what was written of a line; never what another process wrote. */
  async #cutBack(most: number): Promise<void> {
    try {
      const { size } = fstatSync(this.#handle.fd);
      // A file that can't be written can't be truncated either; writing continues when it can.
      if (size === this.#length) return;
      if (size > this.#length + most) this.#broken ??= changedFile(this.#path);
      else {
        await this.#handle.truncate(this.#length);
        await this.#handle.datasync();
      }
    } catch (error) {
      this.#broken ??= changedFile(this.#path, `could not be cut back (${codeOf(error)})`);
    }
  }

  /** @throws {StorageUnavailable} if nothing may be written: another file, or another size, shows that somebody else did */
  look(): void {
    if (this.#broken) throw this.#broken;
    const there = statOf(this.#path);
    // One that was moved away can come back as it was.
    if (!there) throw missing(this.#path);
    if (isSame(there, this.#file) && there.size === this.#length) return;
    this.#broken = changedFile(this.#path);
    throw this.#broken;
  }
}

/** By a callback: a `FileHandle` makes ten promises for it, in every change. */
function writeAll(fd: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const writeFrom = (start: number): void =>
      write(fd, bytes, start, bytes.length - start, null, (error, length) => {
        if (error) reject(error);
        else if (start + length < bytes.length) writeFrom(start + length);
        else resolve();
      });
    writeFrom(0);
  });
}

function synced(fd: number): Promise<void> {
  return new Promise((resolve, reject) => fdatasync(fd, (error) => (error ? reject(error) : resolve())));
}
