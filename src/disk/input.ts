import { constants, createReadStream, fstatSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { isatty, ReadStream as Terminal } from "node:tty";
import { NotText } from "./decode.ts";
import { systemReason } from "./system-reason.ts";

/** A pipe without a writer is opened at once: a thread that waits for one keeps the process from ending. Windows has no such flag. */
const AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The bytes of a file that svc found by itself. What else has a file's name may never end, such as a pipe, and is refused.
 * @throws errors of the file system as they are
 */
export async function readFound(path: string): Promise<Buffer> {
  const file = await open(path, AT_ONCE);
  try {
    if (!(await file.stat()).isFile()) throw new Error("it is not a file");
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Opens what a person named: a file, a pipe, a terminal. A process that waits for it still ends when it is told to. */
export function openNamed(path: string): Readable {
  const fd = openSync(path, AT_ONCE);
  if (isatty(fd)) return new Terminal(fd);
  if (fstatSync(fd).isFIFO()) return new Socket({ fd, writable: false });
  return createReadStream(path, { fd });
}

/** Why a text was not read, and what to do. Continues a sentence that begins with the file's name. */
export function whyUnread(error: unknown): string {
  return error instanceof NotText ? `${error.message}. Save it as UTF-8` : `cannot be read: ${systemReason(error)}`;
}
