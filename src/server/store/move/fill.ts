import type { Entry } from "../records.ts";
import { StoreRefused } from "../store.ts";
import { digest, fingerprintOf, type Digests } from "./digest.ts";
import type { Driver } from "./driver.ts";

/** What stands in a store after it was filled. */
export interface Filled {
  readonly location: string;
  readonly digests: Digests;
  /** Whether all of it was there before. */
  readonly wasThere: boolean;
}

/**
 * Puts entries into an empty store, going on where an earlier attempt with the same content was broken off, and reads
 * them again there. A store that holds just that already is left as it is.
 * @param expected what `entries` amount to
 * @param onPut is told how many entries are there so far
 * @throws {StoreRefused} where the store holds anything else
 */
export async function fill(
  driver: Driver,
  entries: AsyncIterable<readonly Entry[]>,
  expected: Digests,
  onPut: (done: number) => void = () => {},
): Promise<Filled> {
  const target = await driver.openTarget();
  let wasThere = false;
  try {
    const fingerprint = fingerprintOf(expected);
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
        onPut(seen);
      }
      await target.finish();
    }
  } finally {
    await target.close();
  }
  const { location } = target;
  return { location, wasThere, digests: await digestOf(driver) };
}

export async function digestOf(driver: Driver): Promise<Digests> {
  const source = await driver.openSource();
  try {
    return await digest(source);
  } finally {
    await source.close();
  }
}

async function holds(driver: Driver, fingerprint: string): Promise<boolean> {
  try {
    return fingerprintOf(await digestOf(driver)) === fingerprint;
  } catch (error) {
    if (error instanceof StoreRefused) return false;
    throw error;
  }
}
