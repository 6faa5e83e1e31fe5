import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { writeAtomically, type AtomicWriteOptions } from "../../../../disk/write-atomically.ts";

/** Copies files to names with a timestamp. Returns the names when the copies are durable. */
export async function backUp(paths: readonly string[], now: Date): Promise<string[]> {
  const stamp = now.toISOString().replaceAll(":", "-");
  const copies = paths.map((path) => `${path}.${stamp}.bak`);
  for (const [i, path] of paths.entries()) await copy(path, copies[i]!, { isNew: true });
  return copies;
}

/** A copy of a `db.json` of an older format, created before it is rewritten in the current one: `db.json.format-2.bak`. */
export async function keepCopy(path: string, version: number): Promise<void> {
  await copy(path, `${path}.format-${version}.bak`);
}

function copy(from: string, to: string, options?: AtomicWriteOptions): Promise<void> {
  const fill = async (file: FileHandle): Promise<void> => {
    for await (const chunk of createReadStream(from)) await file.writeFile(chunk as Buffer);
  };
  return writeAtomically(to, fill, options);
}
