import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { stopIn } from "./postgres/_cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A directory that the files of one run share; removed at its end. */
    shared: string;
  }
}

/** Runs before the first file of a run and after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = await mkdtemp(join(tmpdir(), "svc-run-"));
  project.provide("shared", shared);
  return async () => {
    await stopIn(shared);
    await rm(shared, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
}
