import { TOKEN_LIFETIME_SECONDS } from "./token/claims.ts";

/** Sessions are kept at least this long: a token of a younger one may still be valid. */
export const MIN_RETENTION_MS = TOKEN_LIFETIME_SECONDS * 1000;

/** The sessions that one step deletes: other writes wait for it. */
export const PRUNED_AT_ONCE = 1000;

/** The search for the sessions that a deletion of old ones removes. @param before ISO 8601 */
export function prunedQuery(before: string): string {
  return `last_signin_at<${before} revoked_at:null revoked_at<${before}`;
}
