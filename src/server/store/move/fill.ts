import { createHash } from "node:crypto";
import { fromSource, type Driver, type Source } from "../maintenance.ts";
import { recordFault, References, shownKey } from "../record-faults.ts";
import { byTable, MOVED_NAMES, recordText, type Entry, type MovedName } from "../records.ts";
import { StoreRefused } from "../store.ts";

/** Receives the number of records so far, and their total. */
export type OnProgress = (done: number, total: number) => void;

/** The number of records of each kind, and one checksum of all of them in any order, made of their SHA-256s. */
export type Digests = Readonly<Record<MovedName, { readonly count: number; readonly sha256: string }>>;

/** The content of a store after it was filled. */
export interface Filled {
  readonly location: string;
  readonly digests: Digests;
  /** Whether that is the expected content. */
  readonly isEqual: boolean;
  /** Whether the store had all of it before. */
  readonly wasThere: boolean;
}

/**
 * Writes entries into an empty store, continues an interrupted attempt with the same content if the store can, and reads them
 * back. A store that already has exactly that content is not changed.
 * @param expected the digest of `entries`
 * @throws {StoreRefused} if the store has other content
 */
export async function fillCopy(
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

/**
 * Reads a whole store for its digests.
 * @param take gets the texts of the records, some at a time
 * @throws {StoreRefused} if a record is not valid or belongs to a missing one: such a store can't be copied
 */
export async function digest(
  source: Source,
  take?: (records: readonly (readonly [table: MovedName, text: string])[]) => Promise<void>,
): Promise<Digests> {
  const summary = new FillSummary();
  const references = new References();
  for await (const entries of source.entries()) {
    const records = entries.map((entry) => {
      refuseFaulty(source.location, entry, references);
      return [entry[0] as MovedName, summary.add(entry)] as const;
    });
    await take?.(records);
  }
  return summary.digests();
}

function refuseFaulty(location: string, entry: Entry, references: References): void {
  const missing = references.missing(entry);
  const fault =
    recordFault(entry) ?? (missing && `${entry[0]} ${shownKey(entry)} belongs to ${missing}, which is missing`);
  if (fault === undefined) return;
  throw new StoreRefused(
    "damaged",
    `${location}: ${fault}. svc store check lists all such records. Correct it first, or restore a backup.`,
  );
}

/** Counts and hashes the records of a store. */
export class FillSummary {
  readonly #tables = byTable(MOVED_NAMES, () => ({ count: 0, hash: Buffer.alloc(32) }));

  /** @returns the record's text, which was hashed */
  add(entry: Entry): string {
    const text = recordText(entry);
    const table = this.#tables[entry[0] as MovedName];
    const own = createHash("sha256").update(text).digest();
    table.count++;
    for (const [n, byte] of own.entries()) table.hash[n]! ^= byte;
    return text;
  }

  digests(): Digests {
    return byTable(MOVED_NAMES, (name) => {
      const { count, hash } = this.#tables[name];
      return { count, sha256: hash.toString("hex") };
    });
  }
}

function fingerprintOf(digests: Digests): string {
  return createHash("sha256").update(JSON.stringify(digests)).digest("hex");
}

export function countOf(digests: Digests): number {
  return Object.values(digests).reduce((sum, { count }) => sum + count, 0);
}
