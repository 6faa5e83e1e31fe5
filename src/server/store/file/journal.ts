import { fstatSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { writeAtomically, type AtomicWriteOptions } from "../../../disk/write-atomically.ts";
import type { StorageUnavailable } from "../store.ts";
import { statOf } from "./directory.ts";
import { journalHeadingLine, type JournalHeading } from "./headings.ts";
import { changed, codeOf, missing, notWritable } from "./refusals.ts";

/**
 * What must fit behind a line that could not be written before the next one is tried. The last page of a file on a full disk
 * takes small changes and refuses larger ones: the store would be away and back many times in one outage.
 */
const ROOM = Buffer.alloc(1 << 16, " ");

/** The open end of a journal. */
export class Journal {
  readonly id: string;
  readonly #path: string;
  readonly #handle: FileHandle;
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
    return writeAtomically(path, fill, { ...options, keepOpen: true });
  }

  /** How many bytes were written behind its first line. */
  get length(): number {
    return this.#length - this.#headingLength;
  }

  /**
   * Returns once the line is on the disk.
   * @throws {StorageUnavailable} when it is not. Only a process that is killed meanwhile may leave it there
   */
  async append(text: string): Promise<void> {
    const line = Buffer.from(text);
    const needsRoom = this.hasFailed;
    this.hasFailed = true;
    this.check();
    if (needsRoom) {
      await this.#write(ROOM);
      await this.#cutBack(ROOM.length);
      this.check();
    }
    await this.#write(line);
    try {
      await this.#handle.datasync();
    } catch (error) {
      // After a failed sync the kernel may have dropped the pages: a second sync that succeeds would prove nothing.
      this.#broken = changed(this.#path, `could not be synced (${codeOf(error)})`);
      await this.#cutBack(line.length);
      throw this.#broken;
    }
    this.#length += line.length;
    try {
      // A process that was stopped between the check and the write may have a successor by now.
      this.check();
    } catch (error) {
      // It is reported as failed, so the next start must not find it.
      this.#length -= line.length;
      await this.#cutBack(line.length);
      throw error;
    }
    this.hasFailed = false;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #write(bytes: Buffer): Promise<void> {
    try {
      await this.#handle.writeFile(bytes);
    } catch (error) {
      await this.#cutBack(bytes.length);
      throw notWritable(this.#path, error);
    }
  }

  /** Takes back what was written of a line; never what another process wrote. */
  async #cutBack(most: number): Promise<void> {
    try {
      const { size } = fstatSync(this.#handle.fd);
      // A file that can't be written can't be truncated either; writing continues when it can.
      if (size === this.#length) return;
      if (size > this.#length + most) this.#broken ??= changed(this.#path);
      else {
        await this.#handle.truncate(this.#length);
        await this.#handle.datasync();
      }
    } catch (error) {
      this.#broken ??= changed(this.#path, `could not be cut back (${codeOf(error)})`);
    }
  }

  /**
   * The lock does not reach other machines. A changed file or size reveals that one of them wrote it. Synchronous, so that
   * nothing runs between this check and what depends on it.
   * @throws {StorageUnavailable} if nothing may be written
   */
  check(): void {
    if (this.#broken) throw this.#broken;
    const there = statOf(this.#path);
    // One that was moved away can come back as it was.
    if (!there) throw missing(this.#path);
    const { ino, dev } = fstatSync(this.#handle.fd);
    if (there.ino === ino && there.dev === dev && there.size === this.#length) return;
    this.#broken = changed(this.#path);
    throw this.#broken;
  }
}
