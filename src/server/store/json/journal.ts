import { constants, createReadStream } from "node:fs";
import { open, stat, type FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { linesIn, type Line } from "../lines.ts";
import { StorageUnavailable, StoreRefused } from "../store.ts";
import type { Change } from "./document.ts";

/**
 * The journal: a line for each group of changes, with its number and a checksum over all that stands before it.
 *
 *     {"sequence":17,"changes":[["put","users",{…}],["delete","states","…"]],"crc32":"5d1f00e2"}
 */
export function encodeLine(sequence: number, changes: readonly Change[]): Buffer {
  return Buffer.from(sealLine(`{"sequence":${sequence},"changes":${JSON.stringify(changes)}`));
}

function sealLine(text: string): string {
  return `${text},"crc32":"${hex(crc32(text))}"}\n`;
}

/** @returns undefined where the line is not what was written */
export function decodeLine(line: string): { sequence: number; changes: Change[] } | undefined {
  const end = line.lastIndexOf(`,"crc32":"`);
  if (end < 0 || line !== sealLine(line.slice(0, end)).slice(0, -1)) return undefined;
  try {
    return JSON.parse(line) as { sequence: number; changes: Change[] };
  } catch {
    return undefined;
  }
}

export function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, "0");
}

/**
 * Applies a journal's changes that are newer than `sequence`. A last line without its end is what a crash leaves of a
 * write nobody was told of: it is passed over. Anything else that is not as it was written is refused.
 * @returns the last number read, and the length of what is whole
 * @throws {StoreRefused} naming file and offset
 */
export async function replay(
  path: string,
  sequence: number,
  apply: (change: Change) => void,
  warn: (message: string) => void,
  content: AsyncIterable<Line> = lines(path),
): Promise<{ sequence: number; length: number }> {
  let offset = 0;
  let last = sequence;
  for await (const { line, isWhole } of content) {
    if (!isWhole) {
      // A whole line and one byte more is no cut: the byte was its end, and something changed it.
      if (decodeLine(line.subarray(0, -1).toString())) throw damaged(path, `the line at offset ${offset} lost its end`);
      warn(
        `${path}: dropped an incomplete last line at offset ${offset} (${line.length} bytes); it was never acknowledged.`,
      );
      break;
    }
    const entry = decodeLine(line.toString());
    if (!entry) throw damaged(path, `the line at offset ${offset} is not what was written`);
    if (entry.sequence > last + 1)
      throw damaged(path, `changes ${last + 1} to ${entry.sequence - 1} are missing before offset ${offset}`);
    if (entry.sequence === last + 1) {
      for (const change of entry.changes) apply(change);
      last = entry.sequence;
    }
    offset += line.length + 1;
  }
  return { sequence: last, length: offset };
}

/** A file's lines. A missing file has none. */
export async function* lines(path: string): AsyncIterable<Line> {
  try {
    yield* linesIn(createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

export function damaged(path: string, what: string): StoreRefused {
  return new StoreRefused(
    "damaged",
    `${path} is damaged: ${what}. Nothing was changed. Put back a copy of it, or move the whole store away to begin anew.`,
  );
}

/** The open end of a journal. */
export class Journal {
  readonly #path: string;
  readonly #handle: FileHandle;
  #length: number;
  #broken: string | undefined;

  private constructor(path: string, handle: FileHandle, length: number) {
    this.#path = path;
    this.#handle = handle;
    this.#length = length;
  }

  /** Opens a journal of which `length` bytes are whole; what lies behind them is cut off. */
  static async open(path: string, length: number): Promise<Journal> {
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    await handle.chmod(0o600);
    await handle.truncate(length);
    await handle.sync();
    return new Journal(path, handle, length);
  }

  get length(): number {
    return this.#length;
  }

  /** Returns once the line is on the disk. @throws {StorageUnavailable} when it is not, and then it never will be */
  async append(line: Buffer): Promise<void> {
    await this.check();
    try {
      await this.#write(line);
    } catch (error) {
      await this.#handle
        .truncate(this.#length)
        .catch((second: unknown) => this.#stop(`could not be cut back (${codeOf(second)})`));
      throw new StorageUnavailable(`${this.#path} could not be written (${codeOf(error)})`, { cause: error });
    }
    try {
      await this.#handle.datasync();
    } catch (error) {
      // After a failed sync the kernel may have dropped the pages: a second one that succeeds would prove nothing.
      this.#stop(`could not be synced (${codeOf(error)})`);
      await this.#handle.truncate(this.#length).catch(() => undefined);
      throw new StorageUnavailable(this.#broken, { cause: error });
    }
    this.#length += line.length;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #write(line: Buffer): Promise<void> {
    for (let done = 0; done < line.length;) {
      const { bytesWritten } = await this.#handle.write(line, done, line.length - done, this.#length + done);
      done += bytesWritten;
    }
  }

  /** The lock does not reach other machines and containers; a file that is not as we left it shows them. */
  async check(): Promise<void> {
    if (this.#broken) throw new StorageUnavailable(this.#broken);
    const [ours, there] = await Promise.all([this.#handle.stat(), stat(this.#path).catch(() => undefined)]);
    if (there && there.ino === ours.ino && there.dev === ours.dev && there.size === this.#length) return;
    this.#stop("was changed by somebody else");
    throw new StorageUnavailable(this.#broken);
  }

  #stop(why: string): void {
    this.#broken = `${this.#path} ${why}; nothing is written until the next start`;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
