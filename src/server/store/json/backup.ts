import { constants } from "node:fs";
import { copyFile, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "./fsync.ts";

/** Copies files to names that tell the time, and returns those when the copies are on the disk. */
export async function backUp(paths: readonly string[], now: Date): Promise<string[]> {
  const stamp = now.toISOString().replaceAll(":", "-");
  const copies: string[] = [];
  for (const path of paths) {
    const copy = `${path}.${stamp}.bak`;
    await copyFile(path, copy, constants.COPYFILE_EXCL);
    try {
      await sync(copy);
    } catch (error) {
      await rm(copy, { force: true });
      throw error;
    }
    copies.push(copy);
  }
  for (const directory of new Set(paths.map((path) => dirname(path)))) await syncDirectory(directory);
  return copies;
}

/** A copy of a `db.json` of an older format, kept before it is written anew in ours: `db.json.format-2.bak`. */
export async function keepCopy(path: string, version: number): Promise<void> {
  const copy = `${path}.format-${version}.bak`;
  const fresh = `${copy}.tmp`;
  await copyFile(path, fresh);
  await sync(fresh);
  await rename(fresh, copy);
  await syncDirectory(dirname(path));
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r+");
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
