import { addressIn, ANY_ADDRESS } from "./redirect-entry.ts";

/** The path, at the front door, where a sign-in without an application ends. */
export const SIGNED_IN_PATH = "/__svc/signed-in";

/**
 * The redirect URI of a sign-in from the dashboard: our own page, or the first web address that the instance lists.
 * @returns undefined if it lists none, or only such that stand for many hosts
 */
export function tryTarget(redirect_uris: readonly string[], front: string): string | undefined {
  if (redirect_uris.length === 0 || redirect_uris[0] === ANY_ADDRESS) return front + SIGNED_IN_PATH;
  return redirect_uris.map(addressIn).find((address) => address !== undefined && /^https?:/i.test(address));
}
