import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

export let directory: string;

/** Gives each test of a file a directory. */
export function useDirectory(): void {
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "svc-config-"));
  });
  afterEach(() => rm(directory, { recursive: true }));
}
