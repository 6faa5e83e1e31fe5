import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Fills a directory's disk to its last block. A file system may free some more blocks once everything is written. */
export async function fill(filler: string): Promise<void> {
  await mkdir(filler);
  let n = 0;
  for (const size of [1 << 20, 1 << 16, 1 << 12])
    while (await hasRoom(join(filler, String(n++)), size)) execFileSync("sync", ["-f", filler]);
}

async function hasRoom(file: string, size: number): Promise<boolean> {
  try {
    await writeFile(file, Buffer.alloc(size));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    return false;
  }
}
