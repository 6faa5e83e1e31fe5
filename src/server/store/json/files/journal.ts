import { constants, fstatSync } from "node:fs";
import { open, rm, type FileHandle } from "node:fs/promises";
import { temporaryName, writeAtomically, type AtomicWriteOptions } from "../../../../disk/write-atomically.ts";
import type { StorageUnavailable } from "../../store.ts";
import { NO_LINK } from "./directory.ts";
import { changed, codeOf, hanging, missing, notWritable, statOf } from "./refusals.ts";
import { journalHeaderLine, type JournalHeader } from "./header.ts";
import type { IsGivenUp } from "./patience.ts";

/** More than any group of changes is likely to need. */
const ROOM_BYTES = 1 << 16;

/** The open end of a journal. */
export class Journal {
  readonly #path: string;
  readonly #handle: FileHandle;
  /** Identifies the file, as long as it is open. */
  readonly #inode: { readonly ino: number; readonly dev: number };
  /** Undefined if it has no header. */
  readonly id: string | undefined;
  readonly #headerLength: number;
  #length: number;
  /** Whether the last line could not be written. */
  hasFailed = false;
  /** Why it can never be written again. */
  #broken: StorageUnavailable | undefined;

  private constructor(path: string, handle: FileHandle, length: number, id: string | undefined) {
    this.#path = path;
    this.#handle = handle;
    const { ino, dev } = fstatSync(handle.fd);
    this.#inode = { ino, dev };
    this.#length = length;
    this.#headerLength = id === undefined ? 0 : length;
    this.id = id;
  }

  /** Opens a journal of which `length` bytes are whole, and that no other process writes: what lies behind is cut off. */
  static async open(path: string, length: number): Promise<Journal> {
    const { O_RDWR, O_APPEND, O_CREAT } = constants;
    const handle = await open(path, O_RDWR | O_APPEND | O_CREAT | NO_LINK, 0o600);
    try {
      await handle.chmod(0o600);
      await handle.truncate(length);
      await handle.sync();
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new Journal(path, handle, length, undefined);
  }

  /**
   * Starts a journal. An existing one keeps its content and loses its name, so that a process that still writes it
   * notices, and nothing that it wrote is changed.
   * With `isNew`, an existing one is another process's, and is kept.
   */
  static async begin(
    path: string,
    header: Omit<JournalHeader, "version">,
    options: Pick<AtomicWriteOptions, "isNew" | "beforeNaming"> = {},
  ): Promise<Journal> {
    const line = journalHeaderLine(header);
    const fill = async (file: FileHandle): Promise<Journal> => {
      const journal = new Journal(path, file, line.length, header.id);
      await file.writeFile(line);
      return journal;
    };
    return writeAtomically(path, fill, { ...options, keepOpen: true }).catch((error: unknown) => {
      throw codeOf(error) === "EEXIST" ? changed(path) : error;
    });
  }

  /** How much was written since it began. */
  get length(): number {
    return this.#length - this.#headerLength;
  }

  /**
   * Returns once the line is on the disk.
   * @param isGivenUp whether the caller has been told that it is not
   * @throws {StorageUnavailable} when it is not. Only a process that is killed while the disk hangs may leave it there
   */
  async append(line: Buffer, isGivenUp: IsGivenUp = () => false): Promise<void> {
    if (this.hasFailed) await this.#checkSpace();
    this.hasFailed = true;
    this.check();
    try {
      await this.#handle.writeFile(line);
    } catch (error) {
      await this.#cutBack(line.length);
      throw notWritable(this.#path, error);
    }
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
      if (isGivenUp()) throw hanging(this.#path);
    } catch (error) {
      // It is reported as failed, so the next start must not find it.
      this.#length -= line.length;
      await this.#cutBack(line.length);
      throw error;
    }
    this.hasFailed = false;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /**
   * Tells whether a disk that was full has room again. The last page of a file takes small changes and refuses larger ones,
   * so that a store which only tried its next change would be back and away again many times in one outage.
   */
  async #checkSpace(): Promise<void> {
    const trial = temporaryName(this.#path);
    try {
      const file = await open(trial, "wx", 0o600);
      try {
        await file.writeFile(" ".repeat(ROOM_BYTES));
      } finally {
        await file.close();
      }
    } catch (error) {
      const fault = notWritable(this.#path, error);
      // Whatever else is wrong here, the change itself will show.
      if (fault.code === "store_full") throw fault;
    } finally {
      await rm(trial, { force: true }).catch(() => undefined);
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
   * The lock does not reach other machines and containers. A changed inode or size reveals that one of them wrote the file.
   * Synchronous, so that nothing runs between this check and what depends on it.
   * @throws {StorageUnavailable} if nothing may be written
   */
  check(): void {
    if (this.#broken) throw this.#broken;
    const there = statOf(this.#path);
    // One that was moved away can come back as it was.
    if (!there) throw missing(this.#path);
    const { ino, dev } = this.#inode;
    if (there.ino === ino && there.dev === dev && there.size === this.#length) return;
    this.#broken = changed(this.#path);
    throw this.#broken;
  }
}
