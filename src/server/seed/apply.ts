import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { ServeError } from "../errors.ts";
import type { Records } from "../store/records.ts";
import type { Store } from "../store/store.ts";

interface SeedOptions {
  readonly seed?: string | undefined;
  readonly seedIsDefault?: boolean | undefined;
  readonly reset?: boolean | undefined;
}

/**
 * What a store shall be filled with: a seed file, or the demo. Undefined: nothing, because it holds something already.
 * @throws {ServeError | SeedError} also where a seed is named, the store is not empty and is not to be reset
 */
export async function recordsToSeed(
  store: Store,
  { seed, seedIsDefault = false, reset = false }: SeedOptions,
  now: Date,
): Promise<Records | undefined> {
  if (!reset && (await store.instances()).length > 0) {
    if (seed === undefined || seedIsDefault) return undefined;
    throw new ServeError(
      `--seed: ${store.location} holds something already. Leave out --seed to go on with it, or add --reset to begin anew.`,
    );
  }
  const demo = demoPath();
  const records = await read(seed ?? demo, now);
  // A seed that names nobody to sign in as gets the demo's personas.
  const personas = records.personas.length > 0 ? records.personas : (await read(demo, now)).personas;
  return { ...records, personas };
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
