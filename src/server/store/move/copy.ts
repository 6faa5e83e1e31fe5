import { fromSource, type Driver } from "../maintenance.ts";
import type { Entry } from "../records.ts";
import { StoreRefused } from "../store.ts";
import { countOf, digest, type Digests, fingerprintOf } from "./digest.ts";

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
