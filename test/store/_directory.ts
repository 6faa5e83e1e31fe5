import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory for one test. */
export async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "svc-store-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** A copy of a store's files as a crash at this moment would leave them. */
export async function abandoned(path: string): Promise<string> {
  const copy = join(await temporaryDirectory(), "db.json");
  for (const entry of await readdir(dirname(path), { withFileTypes: true })) {
    const { name } = entry;
    if (entry.isFile() && name.startsWith("db.")) await copyFile(join(dirname(path), name), join(dirname(copy), name));
  }
  return copy;
}
