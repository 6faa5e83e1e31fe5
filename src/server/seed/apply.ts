import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { ServeError } from "../errors.ts";
import type { Records } from "../store/records.ts";
import type { Store } from "../store/store.ts";

/**
 * Fills an empty store from a seed file, or from the demo.
 * @throws {ServeError | SeedError} also where a seed is named and the store is not empty
 */
export async function seedIfEmpty(store: Store, path: string | undefined, now: Date): Promise<void> {
  if ((await store.instances()).length > 0) {
    if (path !== undefined)
      throw new ServeError(
        `--seed: ${store.location} holds something already. Leave out --seed to go on with it, or add --reset to begin anew.`,
      );
    return;
  }
  const demo = demoPath();
  const records = await read(path ?? demo, now);
  // A seed that names nobody to sign in as gets the demo's personas.
  const personas = records.personas.length > 0 ? records.personas : (await read(demo, now)).personas;
  await store.seed({ ...records, personas });
}

async function read(path: string, now: Date): Promise<Records> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ServeError(`--seed: ${path} can't be read (${error.code}).`);
  });
  const { parseSeed } = await import("./index.ts");
  return parseSeed(text, path, now);
}

/** By the package's own name, so that it is found from the sources and from the build alike. */
function demoPath(): string {
  return createRequire(import.meta.url).resolve("svc-identity/fixtures/demo.json");
}
