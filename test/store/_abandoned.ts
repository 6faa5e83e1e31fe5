import { copyFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "../_files.ts";

/** A copy of a store's files as a crash at this moment would leave them. */
export async function abandoned(path: string): Promise<string> {
  const copy = join(temporaryDirectory(), "db.json");
  for (const entry of await readdir(dirname(path), { withFileTypes: true })) {
    const { name } = entry;
    if (entry.isFile() && name.startsWith("db.")) await copyFile(join(dirname(path), name), join(dirname(copy), name));
  }
  return copy;
}
