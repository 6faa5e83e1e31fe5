import type { input } from "zod";
import type { SeedFile } from "./schema.ts";

/** What `serve({ seed })` takes, and a seed file holds: `fixtures/seed.schema.json` describes it. */
export type SeedInput = input<typeof SeedFile>;

/** Gives a seed its type where it is written: `export default defineSeed({ instances: [ … ] })`. */
export function defineSeed<const Given extends SeedInput>(seed: Given): Given {
  return seed;
}
