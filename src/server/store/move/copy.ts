import { createHash } from "node:crypto";
import { fromSource, type Driver, type Source } from "../maintenance.ts";
import { kindOf } from "../open.ts";
import { recordFault, References } from "../record-faults.ts";
import { keyOf, MOVED_NAMES, recordText, type Entry, type MovedName, type TableName } from "../records.ts";
import { StoreRefused } from "../store.ts";

/** Receives the number of records so far, and their total. */
export type OnProgress = (done: number, total: number) => void;

/** The content of a store after it was filled. */
export interface Filled {
  readonly location: string;
  readonly digests: Digests;
  /** Whether that is the expected content. */
  readonly isEqual: boolean;
  /** Whether the store had all of it before. */
  readonly wasThere: boolean;
}

export interface Copy extends Pick<Filled, "isEqual" | "wasThere"> {
  readonly from: Pick<Filled, "location" | "digests">;
  readonly to: Pick<Filled, "location" | "digests">;
}

/**
 * Copies a store, as it is at one point in time, into an empty one. The source may be in use, and is not changed.
 * If a copy is interrupted, the same copy continues where it stopped.
 * @throws {StoreRefused}
 */
export async function copyStore(from: Driver, to: Driver, onProgress?: OnProgress): Promise<Copy> {
  return fromSource(from, async (source) => {
    const digests = await digest(source);
    if (countOf(digests) === 0)
      throw new StoreRefused("unusable", `${source.location} is empty: there is nothing to copy.`);
    const { isEqual, wasThere, ...filled } = await fill(to, source.entries(), digests, onProgress);
    if (wasThere && filled.location === source.location)
      throw new StoreRefused("unusable", `${source.location} can't be copied to itself.`);
    return { from: { location: source.location, digests }, to: filled, isEqual, wasThere };
  });
}

/**
 * Writes entries into an empty store, continues an interrupted attempt with the same content, and reads them back.
 * A store that already has exactly that content is not changed.
 * @param expected the digest of `entries`
 * @throws {StoreRefused} if the store has other content
 */
export async function fill(
  driver: Driver,
  entries: AsyncIterable<readonly Entry[]>,
  expected: Digests,
  onProgress?: OnProgress,
): Promise<Filled> {
  const target = await driver.openTarget();
  const fingerprint = fingerprintOf(expected);
  let wasThere = false;
  try {
    const done = await target.begin(fingerprint).catch(async (error: unknown) => {
      wasThere = await holds(driver, fingerprint);
      if (!wasThere) throw error;
      return undefined;
    });
    if (done !== undefined) {
      let seen = 0;
      for await (const batch of entries) {
        const rest = batch.slice(Math.max(0, done - seen));
        seen += batch.length;
        if (rest.length === 0) continue;
        await target.put(rest);
        onProgress?.(seen, countOf(expected));
      }
      await target.finish();
    }
  } finally {
    await target.close();
  }
  const digests = await fromSource(driver, digest);
  return { location: target.location, digests, isEqual: fingerprintOf(digests) === fingerprint, wasThere };
}

async function holds(driver: Driver, fingerprint: string): Promise<boolean> {
  try {
    return fingerprintOf(await fromSource(driver, digest)) === fingerprint;
  } catch (error) {
    if (error instanceof StoreRefused) return false;
    throw error;
  }
}

/** The number of records of each kind, and the SHA-256, in hexadecimal, of all of them in their order. */
export type Digests = Readonly<Record<MovedName, { readonly count: number; readonly sha256: string }>>;

/**
 * Reads a whole store for its digests.
 * @param take gets the texts of the records, some at a time
 * @throws {StoreRefused} if a record is not valid or belongs to a missing one: such a store can't be copied
 */
export async function digest(
  source: Source,
  take?: (records: readonly (readonly [table: TableName, text: string])[]) => Promise<void>,
): Promise<Digests> {
  const summary = new Summary();
  const references = new References();
  for await (const entries of source.entries()) {
    const records = entries.map((entry) => {
      refuseFaulty(source.location, entry, references);
      return [entry[0], summary.add(entry)] as const;
    });
    await take?.(records);
  }
  return summary.digests();
}

function refuseFaulty(location: string, entry: Entry, references: References): void {
  const fault = recordFault(entry);
  const missing = references.missing(entry);
  if (fault === undefined && missing === undefined) return;
  const what = fault ?? `${entry[0]} ${keyOf(entry[0], entry[1])} belongs to ${missing}, which is missing`;
  const toLeaveOut =
    kindOf(location) === "postgres"
      ? "To leave it out, delete that row with SQL."
      : `To leave it out: svc store repair --drop-dangling --store ${location}`;
  const remedy = fault === undefined ? toLeaveOut : "Correct it first, or restore a backup.";
  throw new StoreRefused("damaged", `${location}: ${what}. svc store check lists all such records. ${remedy}`);
}

/** Counts and hashes the records of a store, one after the other in their order. */
export class Summary {
  readonly #tables = new Map(MOVED_NAMES.map((name) => [name, { count: 0, hash: createHash("sha256") }]));

  /** @returns the record's text, which was hashed */
  add(entry: Entry): string {
    const text = recordText(entry);
    const table = this.#tables.get(entry[0] as MovedName)!;
    table.count++;
    table.hash.update(text).update("\n");
    return text;
  }

  /** Only once. */
  digests(): Digests {
    const rows = [...this.#tables].map(([name, { count, hash }]) => [name, { count, sha256: hash.digest("hex") }]);
    return Object.fromEntries(rows) as Digests;
  }
}

/** One value for the content of a whole store. */
export function fingerprintOf(digests: Digests): string {
  return createHash("sha256").update(JSON.stringify(digests)).digest("hex");
}

export function countOf(digests: Digests): number {
  return Object.values(digests).reduce((sum, { count }) => sum + count, 0);
}
