import type { input } from "zod/mini";
import { plain } from "../../wire/route.ts";
import type { SeedFile } from "./schema.ts";

// For its type alone.
const seedInput = plain<input<typeof SeedFile>>();

/** The seed of `serve({ seed })` and of a seed file. `fixtures/seed.schema.json` describes it. */
export type SeedInput = typeof seedInput;

/** Type-checks a seed where it is defined: `export default defineSeed({ instances: [ … ] })`. */
export function defineSeed<const Given extends SeedInput>(seed: Given): Given {
  return seed;
}
