import { randomBytes } from "node:crypto";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { renameNew } from "./rename-new.ts";
import { syncDirectory } from "./sync-directory.ts";

export interface AtomicWriteOptions {
  /** Called when the content is on the disk, right before the file gets its name. Throwing leaves all as it was. */
  readonly beforeNaming?: ((temporaryPath: string) => void) | undefined;
  /** Whether to fail with EEXIST rather than take another file's place. */
  readonly isNew?: boolean | undefined;
  /** Whether the file stays open after success, for appending. */
  readonly keepOpen?: boolean | undefined;
}

/** The name of a file that is being written, beside its own: `<path>.<12 hex digits>.tmp`. */
export function temporaryName(path: string): string {
  return `${path}.${randomBytes(6).toString("hex")}.tmp`;
}

/**
 * Writes a file that only its owner can read, and makes it durable: it has its name with all of its content or not at all,
 * also after a crash. A link at `path` is replaced, never followed.
 * @param fill writes the content, to the file's `temporaryName`
 * @returns what `fill` returned
 * @throws what `fill` and `beforeNaming` throw, and errors of the file system as they are
 */
export async function writeAtomically<Result>(
  path: string,
  fill: (file: FileHandle) => Promise<Result>,
  { beforeNaming, isNew = false, keepOpen = false }: AtomicWriteOptions = {},
): Promise<Result> {
  const temporary = temporaryName(path);
  const file = await open(temporary, keepOpen ? "ax+" : "wx", 0o600);
  try {
    const result = await fill(file);
    await file.sync();
    if (!keepOpen) await file.close();
    beforeNaming?.(temporary);
    await (isNew ? renameNew(temporary, path) : rename(temporary, path));
    await syncDirectory(dirname(path));
    return result;
  } catch (error) {
    // Closing and removing what is gone already changes nothing.
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}
