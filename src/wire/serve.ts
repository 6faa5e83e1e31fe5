import { TOKEN_LIFETIME_SECONDS } from "./claims.ts";

/** S-V-C on a phone. */
export const DEFAULT_PORT = 7820;

/** What `svc serve` reads in its directory, and `svc init` writes. */
export const CONFIG_FILE = "svc.config.json";

/** From the least to the most important. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * How providers without credentials are treated. `auto`: simulated if only this machine can reach the server, otherwise
 * off. `real`: off. `simulated`: every provider is simulated, even with credentials.
 */
export const PROVIDERS_MODES = ["auto", "real", "simulated"] as const;
export type ProvidersMode = (typeof PROVIDERS_MODES)[number];

/** Sessions are kept at least this long: a token of a younger one may still be valid. */
export const MIN_RETENTION_MS = TOKEN_LIFETIME_SECONDS * 1000;

/** The sessions that one step deletes: other writes wait for it. */
export const PRUNED_AT_ONCE = 1000;

/** The search for the sessions that a deletion of old ones removes. @param before ISO 8601 */
export function prunedQuery(before: string): string {
  return `last_signin_at<${before} revoked_at:null revoked_at<${before}`;
}
