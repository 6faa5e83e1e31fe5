import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./_files.ts";
import { SEED } from "./_setup.ts";

/** A seed on disk, for one test. */
export function seedFile(seed: object = SEED): string {
  const path = join(temporaryDirectory(), "seed.json");
  writeFileSync(path, JSON.stringify(seed));
  return path;
}
