import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { SEED } from "./_setup.ts";

/** A directory for one test, removed when it ends. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "svc-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A seed on disk, for one test. */
export function seedFile(seed: object = SEED): string {
  const path = join(temporaryDirectory(), "seed.json");
  writeFileSync(path, JSON.stringify(seed));
  return path;
}
