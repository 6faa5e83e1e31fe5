import { hash } from "node:crypto";
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";
import type { input } from "zod/mini";
import { fileText } from "../../disk/decode.ts";
import { readFound, whyUnread } from "../../disk/input.ts";
import { SeedError, ServeError } from "../errors.ts";
import type { InstanceRecord, Records } from "../store/records.ts";
import { changeSetting } from "../store/settings.ts";
import type { Store } from "../store/store.ts";
import { plain } from "../../wire/route.ts";
import type { SeedFile } from "./parse.ts";

/** The seed that filled the store, so that a server can restart with the same one. */
const SEED_SETTING = "seed";

export interface SeedOptions {
  /** The path of a seed file, or its content, for an empty store. Default: the demo. */
  readonly seed?: string | SeedInput | undefined;
  /** Whether to delete all records first. Keys and ids that the seed omits are kept. */
  readonly reset?: boolean | undefined;
}

interface Filling {
  readonly records: Records;
  /** Identifies the seed. Undefined for the demo. */
  readonly digest: string | undefined;
}

/** The start that a store is filled at. */
export interface Start {
  readonly now: Date;
  readonly isLocal: boolean;
  /** Called if the store is not empty and differs from the seed. */
  warn(message: string): void;
}

/**
 * The initial content of a store: a seed, or the demo. Undefined if the store is not empty.
 * @throws {ServeError | SeedError}
 */
export async function fillingOf(
  store: Store,
  { seed, reset = false }: SeedOptions,
  start: Start,
): Promise<Filling | undefined> {
  const { now } = start;
  const before = await store.instances();
  if (!reset && before.length > 0) {
    if (seed !== undefined) await compare(store, seed, start, before);
    return undefined;
  }
  const demo = demoPath();
  const records = await parse(seed ?? demo, now, before);
  // A seed without personas gets the demo's personas.
  const personas = records.personas.length > 0 ? records.personas : (await parse(demo, now)).personas;
  return { records: { ...records, personas }, digest: seed === undefined ? undefined : await digestOf(seed) };
}

/** The demo's instances, if the store has them unchanged. Otherwise empty. */
export async function demoOf(instances: readonly InstanceRecord[]): Promise<InstanceRecord[]> {
  const demo = await readDemo();
  const isSame = (one: InstanceRecord, { name, subdomain, redirect_uris = [] }: Partial<InstanceRecord>): boolean =>
    one.name === name && one.subdomain === subdomain && one.redirect_uris.join() === redirect_uris.join();
  const found = instances.filter((instance) => demo.instances.some((own) => isSame(instance, own)));
  return found.length === demo.instances.length ? found : [];
}

export async function demoUsers(): Promise<number> {
  return (await readDemo()).instances.reduce((sum, { users }) => sum + users.length, 0);
}

async function readDemo(): Promise<{ instances: (Partial<InstanceRecord> & { users: readonly object[] })[] }> {
  return JSON.parse(await textOf(demoPath())) as Awaited<ReturnType<typeof readDemo>>;
}

/** @throws {StoreNotEmpty} if another process was faster */
export async function fill(store: Store, { records, digest }: Filling, reset: boolean): Promise<void> {
  const note = (): Promise<unknown> =>
    changeSetting(store, SEED_SETTING, () => (digest === undefined ? undefined : { digest }));
  if (reset) {
    await store.replace(records);
    await note();
  } else {
    // In this order, a server that is killed in between finds an empty store and fills it.
    await note();
    await store.seed(records);
  }
}

/** Says how a seed differs from a store that it was not applied to. */
async function compare(
  store: Store,
  seed: string | SeedInput,
  { now, isLocal, warn }: Start,
  before: readonly InstanceRecord[],
): Promise<void> {
  const [filled] = (await store.settings(SEED_SETTING)).filter(({ name }) => name === SEED_SETTING);
  if (filled?.value["digest"] === (await digestOf(seed))) return;
  const records = await parse(seed, now, before).catch((error: unknown) => {
    if (error instanceof SeedError) return error;
    throw error;
  });
  const found =
    records instanceof SeedError ? [records.message] : await differences(store, await textOf(seed), records);
  // A restored backup has the records of its seed, and of everything since.
  if (!filled && found.length === 0) return;
  const what =
    found.length === 0 ? "Its instances and personas are the same; users are not compared" : found.join("; ");
  warn(
    `The seed is not applied, as ${store.location} is not empty. ${what}. To change an instance, such as its redirect_uris, and keep all records, use svc dev instances update while the server runs, or PATCH /__svc/v1/instances/<id>${isLocal ? "" : "; start with --control for that"}. To apply the whole seed, give an empty store${isLocal ? ", or start once with --reset, which deletes all records" : ""}.`,
  );
}

async function digestOf(seed: string | SeedInput): Promise<string> {
  return hash("sha256", await textOf(seed), "hex");
}

async function parse(seed: string | SeedInput, now: Date, before: readonly InstanceRecord[] = []): Promise<Records> {
  const { readSeed } = await import("./parse.ts");
  return readSeed(await textOf(seed), typeof seed === "string" ? seed : "The seed", now, before);
}

async function textOf(seed: string | SeedInput): Promise<string> {
  if (typeof seed !== "string") return JSON.stringify(seed);
  try {
    return fileText(await readFound(seed));
  } catch (error) {
    throw new ServeError(`The seed ${seed} ${whyUnread(error)}.`);
  }
}

/** Resolved by the package's own name, which works from the sources and from the build. */
function demoPath(): string {
  return createRequire(import.meta.url).resolve("svc-identity/fixtures/demo.json");
}

const MAX_NAMED = 10;

/**
 * What a seed's instances and personas have that a store has otherwise. Values are not shown: some are secret. What the
 * seed leaves out, and users, are not compared.
 * @param source the seed's text, which is valid
 * @param records the seed's records, with what it leaves out as in the store
 */
async function differences(store: Store, source: string, records: Records): Promise<string[]> {
  const given = (JSON.parse(source) as { instances: object[] }).instances;
  const instances = await store.instances();
  const personas = await store.personas();
  const wanted = new Set(records.instances.map(({ subdomain }) => subdomain));
  const found = [
    ...records.instances.flatMap((one, n) => {
      const there = instances.find(({ subdomain }) => subdomain === one.subdomain);
      if (!there) return `${one.subdomain} is not in the store`;
      const columns = Object.keys(there) as (keyof InstanceRecord)[];
      const different = columns.filter(
        (column) => Object.hasOwn(given[n]!, column) && !isDeepStrictEqual(one[column], there[column]),
      );
      return different.length === 0 ? [] : `${one.subdomain} has another ${different.join(", ")}`;
    }),
    ...instances.flatMap(({ subdomain }) => (wanted.has(subdomain) ? [] : `${subdomain} is not in the seed`)),
    ...records.personas.flatMap((one) => {
      const there = personas.find(({ id }) => id === one.id);
      if (!there) return `the persona ${one.id} is not in the store`;
      return isDeepStrictEqual(there, one) ? [] : `the persona ${one.id} is different`;
    }),
  ];
  const more = found.length - MAX_NAMED;
  return more > 0 ? [...found.slice(0, MAX_NAMED), `and ${more} more`] : found;
}

// For its type alone.
const seedInput = plain<input<typeof SeedFile>>();

/** The seed of `serve({ seed })` and of a seed file. `fixtures/seed.schema.json` describes it. */
export type SeedInput = typeof seedInput;

/** Type-checks a seed where it is defined: `export default defineSeed({ instances: [ … ] })`. */
export function defineSeed<const Seed extends SeedInput>(seed: Seed): Seed {
  return seed;
}
