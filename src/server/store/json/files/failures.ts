import { constants, statSync, type Stats } from "node:fs";
import { access } from "node:fs/promises";
import { StorageUnavailable, type StoreFault } from "../../store.ts";

const FAULTS: Readonly<Record<string, StoreFault>> = {
  ENOSPC: "store_full",
  EDQUOT: "store_full",
  EROFS: "store_read_only",
  EACCES: "store_read_only",
  EPERM: "store_read_only",
  ENOENT: "store_missing",
};

/** The system's own name for what failed, or why the store can't be written. */
export function codeOf(error: unknown): string {
  return error instanceof StorageUnavailable ? error.message : ((error as NodeJS.ErrnoException).code ?? String(error));
}

/** A file of the store that could not be written. */
export function notWritable(path: string, error: unknown): StorageUnavailable {
  const code = FAULTS[codeOf(error)] ?? "store_unavailable";
  return new StorageUnavailable(`${path} could not be written (${codeOf(error)})`, { code, cause: error });
}

/** Of a file, or undefined if there is none. @throws {StorageUnavailable} if the system does not tell, as without permission */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw notWritable(path, error);
  }
}

/** @throws {StorageUnavailable} if a file may not be written */
export async function checkWritable(path: string): Promise<void> {
  try {
    await access(path, constants.W_OK);
  } catch (error) {
    throw notWritable(path, error);
  }
}

/** By ourselves, at the end. */
export function closed(path: string): StorageUnavailable {
  return new StorageUnavailable(`${path} is closed`, { code: "store_closed" });
}

/** A disk that takes too long. The store continues when it has answered. */
export function hanging(path: string): StorageUnavailable {
  return new StorageUnavailable(`the disk of ${path} does not answer`);
}

/** A file that no longer exists. The store continues when it is back unchanged. */
export function missing(path: string): StorageUnavailable {
  return new StorageUnavailable(`${path} no longer exists; nothing is written until it is back`, {
    code: "store_missing",
  });
}

/** A file that something else has written. */
export function changed(path: string, what = "was changed by another process"): StorageUnavailable {
  return new StorageUnavailable(`${path} ${what}; nothing is written until the next start`, { code: "store_changed" });
}
