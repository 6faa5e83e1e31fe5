import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { ServeError } from "../errors.ts";
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
  const name = path ?? demoPath();
  const text = await readFile(name, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ServeError(`--seed: ${name} can't be read (${error.code}).`);
  });
  const { parseSeed } = await import("./index.ts");
  await store.seed(parseSeed(text, name, now));
}

/** By the package's own name, so that it is found from the sources and from the build alike. */
function demoPath(): string {
  return createRequire(import.meta.url).resolve("svc-identity/fixtures/demo.json");
}
