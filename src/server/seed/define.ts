import type { input } from "zod/mini";
import type { SeedFile } from "./schema.ts";

/** The seed of `serve({ seed })` and of a seed file. `fixtures/seed.schema.json` describes it. */
export type SeedInput = input<typeof SeedFile>;

/** Type-checks a seed where it is defined: `export default defineSeed({ instances: [ … ] })`. */
export function defineSeed<const Given extends SeedInput>(seed: Given): Given {
  return seed;
}
