import type { Entry } from "../records.ts";
import { StoreRefused } from "../store.ts";
import { countOf, digest, fingerprintOf, type Digests } from "./digest.ts";
import { fromSource, type Driver } from "./driver.ts";

/** Is told how many records of how many are there so far. */
export type OnProgress = (done: number, total: number) => void;

/** What stands in a store after it was filled. */
export interface Filled {
  readonly location: string;
  readonly digests: Digests;
  /** Whether that is what it was to be filled with. */
  readonly isEqual: boolean;
  /** Whether all of it was there before. */
  readonly wasThere: boolean;
}

/**
 * Puts entries into an empty store, going on where an earlier attempt with the same content was broken off, and reads
 * them again there. A store that holds just that already is left as it is.
 * @param expected what `entries` amount to
 * @throws {StoreRefused} if the store holds anything else
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
