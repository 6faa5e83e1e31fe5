import { open, rm } from "node:fs/promises";
import { temporaryName } from "../../../../disk/write-atomically.ts";
import { writeAll } from "./document-file.ts";
import { notWritable } from "./failures.ts";

/** More than any group of changes is likely to need. */
const ROOM_BYTES = 1 << 16;

/**
 * Tells whether a disk that was full has room again. The last page of a file takes small changes and refuses larger
 * ones, so that a store which only tried its next change would be back and away again many times in one outage.
 * @throws {StorageUnavailable} if the disk is full
 */
export async function checkDiskSpace(path: string): Promise<void> {
  const trial = temporaryName(path);
  try {
    const file = await open(trial, "wx", 0o600);
    try {
      await writeAll(file, [" ".repeat(ROOM_BYTES)]);
    } finally {
      await file.close();
    }
  } catch (error) {
    const fault = notWritable(path, error);
    // Whatever else is wrong here, the change itself will show.
    if (fault.code === "store_full") throw fault;
  } finally {
    await rm(trial, { force: true }).catch(() => undefined);
  }
}
