import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory for one test, removed when it ends. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "svc-test-"));
  // A process that has just been ended may still remove what it made there.
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return path;
}
