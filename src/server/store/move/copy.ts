import { StoreRefused } from "../store.ts";
import { digest, fingerprintOf, type Digests } from "./digest.ts";
import type { Driver } from "./driver.ts";
import { fill } from "./fill.ts";

export interface Copy {
  readonly from: { readonly location: string; readonly digests: Digests };
  readonly to: { readonly location: string; readonly digests: Digests };
  /** Whether both sides hold the same. */
  readonly isEqual: boolean;
  /** Whether the target held all of it before. */
  readonly wasThere: boolean;
}

/**
 * Copies a store, as it is at one moment, into an empty one. The source may be in use, and nothing of it changes.
 * Broken off at any point, the same copy made again goes on from there.
 * @param onProgress is told how many records of how many are there so far
 * @throws {StoreRefused}
 */
export async function copyStore(
  from: Driver,
  to: Driver,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Copy> {
  const source = await from.openSource();
  try {
    const digests = await digest(source);
    const total = Object.values(digests).reduce((sum, { count }) => sum + count, 0);
    if (total === 0) throw new StoreRefused("unusable", `${source.location} holds nothing to copy.`);
    const filled = await fill(to, source.entries(), digests, (done) => onProgress(done, total));
    if (filled.wasThere && filled.location === source.location)
      throw new StoreRefused("unusable", `${source.location} can't be copied to itself.`);
    return {
      from: { location: source.location, digests },
      to: { location: filled.location, digests: filled.digests },
      isEqual: fingerprintOf(filled.digests) === fingerprintOf(digests),
      wasThere: filled.wasThere,
    };
  } finally {
    await source.close();
  }
}
