import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildIfStale } from "./_build.ts";
import { stopIn } from "./postgres/_cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A directory that the files of one run share; removed at its end. */
    shared: string;
    /** On which stores the tests of linking run. */
    stores: readonly ("memory" | "postgres")[];
  }
}

/** What tests may see of the environment that their run was started in: programs, npm's settings, and their own. */
const KEPT =
  /^(?:PATH|CI|CHROMIUM|npm_config_.*|SVC_(?:FAULTS|FAULTS_SEED|MEASURE|NODES|PARITY_RUNS|RACES|SCREENSHOTS|TEST_(?:ALL|POSTGRES_(?:BIN|URL))|TOKEN_RUNS|WHOLE_SECONDS))$/;

/**
 * Runs before the first file of a run and after the last. A run has its own home and directory for temporary files, so
 * that no test meets the profiles, caches, servers and settings of whoever started it; `_place.ts` does the rest.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildIfStale();
  const shared = await mkdtemp(join(tmpdir(), "svc-run-"));
  const [home, temporary] = [join(shared, "home"), join(shared, "tmp")];
  for (const path of [home, temporary]) await mkdir(path);
  // Databases and poolers run as another user, and read their settings here.
  await chmod(shared, 0o711);
  for (const name of Object.keys(process.env)) if (!KEPT.test(name)) delete process.env[name];
  Object.assign(process.env, { HOME: home, TMPDIR: temporary });
  project.provide("shared", shared);
  return async () => {
    await stopIn(shared);
    await rm(shared, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
}
