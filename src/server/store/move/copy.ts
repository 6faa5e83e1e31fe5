import { StoreRefused } from "../store.ts";
import { countOf, digest, type Digests } from "./digest.ts";
import { fromSource, type Driver } from "./driver.ts";
import { fill, type OnProgress } from "./fill.ts";

export interface Copy {
  readonly from: { readonly location: string; readonly digests: Digests };
  readonly to: { readonly location: string; readonly digests: Digests };
  /** Whether both stores have the same content. */
  readonly isEqual: boolean;
  /** Whether the target had all of it before. */
  readonly wasThere: boolean;
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
