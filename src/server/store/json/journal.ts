import { constants, existsSync, fstatSync, statSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { OLDEST_VERSION } from "../columns.ts";
import { StoreRefused, type StorageUnavailable } from "../store.ts";
import { upgrade } from "../upgrade.ts";
import type { Change } from "./document.ts";
import { changed, codeOf, missing, notWritable } from "./failures.ts";
import { isValidChange } from "./validate-change.ts";
import { eachLine, seal, unseal, type Line } from "./lines.ts";

/** A line of the journal: the changes that one group of operations made, and their number. */
export function encodeLine(sequence: number, changes: readonly Change[]): Buffer {
  return Buffer.from(`${seal({ sequence, changes }).line}\n`);
}

/** @returns undefined where the line is not what was written */
export function decodeLine(line: Buffer): { sequence: number; changes: Change[] } | undefined {
  const json = unseal(line);
  if (json === undefined) return undefined;
  const { sequence, changes } = JSON.parse(json) as { sequence: number; changes: Change[] };
  return { sequence, changes: changes.map(upgraded) };
}

/** A line does not say by which version it was written. */
function upgraded(change: Change): Change {
  if (change[0] === "delete" || typeof change[2] !== "object") return change;
  return ["put", change[1], upgrade(change[1], change[2], OLDEST_VERSION)];
}

/**
 * Applies a journal's changes that are newer than `sequence`. A last line that a crash cut off or left with holes was
 * never acknowledged: it is passed over. Anything else that is not as it was written is refused.
 * @returns the last number read, and the length of what is whole
 * @throws {StoreRefused} naming file and offset
 */
export async function replay(
  path: string,
  sequence: number,
  apply: (change: Change) => void,
  warn: (message: string) => void,
  content: string | AsyncIterable<Buffer> = path,
): Promise<{ sequence: number; length: number }> {
  let last = sequence;
  let length = 0;
  let torn: Line | undefined;
  const size = await eachLine(content, (line) => {
    if (torn) throw damaged(path, `the line at offset ${torn.offset} is not what was written`);
    const entry = line.isWhole ? decodeLine(line.bytes) : undefined;
    if (!entry) {
      torn = line;
      return;
    }
    if (entry.sequence > last + 1)
      throw damaged(path, `changes ${last + 1} to ${entry.sequence - 1} are missing before offset ${line.offset}`);
    if (entry.sequence === last + 1) {
      if (!entry.changes.every(isValidChange))
        throw damaged(path, `the line at offset ${line.offset} changes what no table holds`);
      for (const change of entry.changes) apply(change);
      last = entry.sequence;
    }
    length = line.offset + line.bytes.length + 1;
  });
  if (torn) {
    checkTorn(path, torn);
    warn(
      `${path}: dropped an incomplete last line at offset ${torn.offset} (${size! - torn.offset} bytes); it was never acknowledged.`,
    );
  }
  return { sequence: last, length };
}

/** @throws {StoreRefused} where a crash can't have left a last line like this */
function checkTorn(path: string, { bytes, offset, isWhole }: Line): void {
  // A whole line and one byte more is no cut: the byte was its end, and something changed it.
  if (!isWhole && !hasHole(bytes, offset) && decodeLine(bytes.subarray(0, -1)))
    throw damaged(path, `the line at offset ${offset} lost its end`);
  if (isWhole && !hasHole(bytes, offset)) throw damaged(path, `the line at offset ${offset} is not what was written`);
}

const PAGE = 4096;

/** Whether a page of a line never reached the disk: it reads as zeros, and JSON has none. */
export function hasHole(line: Buffer, offset: number): boolean {
  for (let start = 0; start < line.length;) {
    const end = Math.min(line.length, (Math.floor((offset + start) / PAGE) + 1) * PAGE - offset);
    if (line.subarray(start, end).every((byte) => byte === 0)) return true;
    start = end;
  }
  return false;
}

/** The `db.json` that a file of a store belongs to. */
function storeOf(path: string): string {
  return path.replace(/\.journal(\.old)?$/, ".json");
}

export function damaged(path: string, what: string): StoreRefused {
  return new StoreRefused(
    "damaged",
    `${path} is damaged: ${what}. Nothing was changed. See all that is wrong with: svc store check --store ${storeOf(path)}. Keep what can be read with: svc store repair --store ${storeOf(path)}.`,
  );
}

/** What lies in a directory may have come with somebody else's repository; Windows knows no such flag. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** The open end of a journal. */
export class Journal {
  readonly #path: string;
  readonly #handle: FileHandle;
  #length: number;
  /** Whether the last line could not be written. */
  hasFailed = false;
  /** What keeps it from ever being written again. */
  #broken: StorageUnavailable | undefined;

  private constructor(path: string, handle: FileHandle, length: number) {
    this.#path = path;
    this.#handle = handle;
    this.#length = length;
  }

  /** Opens a journal of which `length` bytes are whole; what lies behind them is cut off. */
  static open(path: string, length: number): Promise<Journal> {
    return Journal.#open(path, length, constants.O_CREAT);
  }

  /** Begins one where there is none: one that is there already is somebody else's. */
  static create(path: string): Promise<Journal> {
    return Journal.#open(path, 0, constants.O_CREAT | constants.O_EXCL);
  }

  static async #open(path: string, length: number, flags: number): Promise<Journal> {
    const handle = await open(path, constants.O_RDWR | constants.O_APPEND | NO_LINK | flags, 0o600);
    try {
      await handle.chmod(0o600);
      await handle.truncate(length);
      await handle.sync();
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new Journal(path, handle, length);
  }

  get length(): number {
    return this.#length;
  }

  /** Returns once the line is on the disk. @throws {StorageUnavailable} when it is not, and then it never will be */
  async append(line: Buffer): Promise<void> {
    this.hasFailed = true;
    await this.#append(line);
    this.hasFailed = false;
  }

  async #append(line: Buffer): Promise<void> {
    this.check();
    try {
      await this.#write(line);
    } catch (error) {
      await this.#cutBack(line.length);
      throw notWritable(this.#path, error);
    }
    try {
      await this.#handle.datasync();
    } catch (error) {
      // After a failed sync the kernel may have dropped the pages: a second one that succeeds would prove nothing.
      this.#broken = changed(this.#path, `could not be synced (${codeOf(error)})`);
      await this.#cutBack(line.length);
      throw this.#broken;
    }
    this.#length += line.length;
    // Whoever was stopped between the first look and the write may have a successor by now.
    const fault = this.#fault();
    if (!fault) return;
    // It is reported as failed, so the next start must not find it.
    this.#length -= line.length;
    await this.#cutBack(line.length);
    throw fault;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #write(line: Buffer): Promise<void> {
    for (let done = 0; done < line.length;) {
      const { bytesWritten } = await this.#handle.write(line, done, line.length - done);
      done += bytesWritten;
    }
  }

  /** Takes back what was written of a line; never what another process wrote. */
  async #cutBack(most: number): Promise<void> {
    try {
      if (fstatSync(this.#handle.fd).size > this.#length + most) this.#broken ??= changed(this.#path);
      else {
        await this.#handle.truncate(this.#length);
        await this.#handle.datasync();
      }
    } catch (error) {
      this.#broken ??= changed(this.#path, `could not be cut back (${codeOf(error)})`);
    }
  }

  /** @throws {StorageUnavailable} where nothing may be written */
  check(): void {
    const fault = this.#fault();
    if (fault) throw fault;
  }

  #fault(): StorageUnavailable | undefined {
    if (this.#broken || this.isOurs()) return this.#broken;
    // One that was moved away can come back as it was.
    if (!existsSync(this.#path)) return missing(this.#path);
    this.#broken = changed(this.#path);
    return this.#broken;
  }

  /**
   * The lock does not reach other machines and containers; a file that is not as we left it shows them.
   * It is asked without waiting: between the answer and what is done upon it nobody else gets a turn.
   */
  isOurs(): boolean {
    if (this.#broken) return false;
    const ours = fstatSync(this.#handle.fd);
    const there = statSync(this.#path, { throwIfNoEntry: false });
    return there !== undefined && there.ino === ours.ino && there.dev === ours.dev && there.size === this.#length;
  }
}
