import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

export let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-config-"));
});

afterEach(() => rm(directory, { recursive: true }));
