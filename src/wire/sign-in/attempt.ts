/** How long a browser may take from its begin to its callback. */
export const STATE_LIFETIME_SECONDS = 600;

/** What an application adds to its callback's address, so that it knows its own sign-in again: 32 bytes as base64url. */
export const NONCE = "nonce";
const ADDED_NONCE = /(?:^\?|&)nonce=[A-Za-z0-9_-]{43}$/;

/** A query without the nonce at its end. Whole if another parameter has that name, as an application could read either. */
export function withoutNonce(query: string): string {
  const own = query.replace(ADDED_NONCE, "");
  return new URLSearchParams(own).has(NONCE) ? query : own;
}
