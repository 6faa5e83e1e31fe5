import { ANY_ADDRESS, withoutWildcard } from "./redirect-entry.ts";

/** Where a sign-in without an application ends, below the front door. */
export const SIGNED_IN_PATH = "/__svc/signed-in";

/**
 * Where a sign-in that somebody tries ends: at our own page, or at the first web address that the instance lists.
 * @returns undefined where it lists none
 */
export function tryTarget(redirect_uris: readonly string[], front: string): string | undefined {
  if (redirect_uris.length === 0 || redirect_uris[0] === ANY_ADDRESS) return front + SIGNED_IN_PATH;
  const entry = redirect_uris.find((each) => /^https?:/i.test(each));
  return entry && withoutWildcard(entry);
}
