// Programs that start a server see these types, and need none of h3's.
import type { SignInErrorCode } from "../../wire/errors.ts";
import type { Provider } from "../../wire/providers.ts";
import type { LogLevel } from "../../wire/serve.ts";

export interface SignInOutcome {
  readonly provider: Provider;
  readonly outcome: "success" | SignInErrorCode;
}

/**
 * What was refused although the caller meant well: a callback without an open sign-in, a secret key that was replaced, one
 * that no instance has, or one that came to another instance's address.
 */
export const REFUSALS = ["invalid_state", "replaced_key", "unknown_key", "other_instance"] as const;
export type RefusalReason = (typeof REFUSALS)[number];

/** The log entry of a request that was answered. It contains no secret. */
export interface RequestEntry {
  /**
   * `error`: the server failed; `warn`: a sign-in did, or the request has a `refused`; `debug`: probes, pictures, styles,
   * scripts, and the steps of a sign-in beside its callback.
   */
  readonly level: LogLevel;
  /** As in the answer's `Request-Id` header. */
  readonly request_id: string;
  /** The sign-in that it belongs to; all its requests have the same id. */
  readonly flow_id: string | null;
  readonly method: string;
  /** The route's pattern, never the address itself: that may hold a token. */
  readonly route: string | null;
  /** The path, if no route matched: only its words, short numbers and ids of records are kept. */
  readonly path: string | null;
  readonly status: number;
  readonly ms: number;
  /** The subdomain of the instance, by host, key or sign-in; null if none of these names one. */
  readonly instance: string | null;
  /** Set if the request ended a sign-in. */
  readonly sign_in: SignInOutcome | null;
  readonly refused: RefusalReason | null;
  /** Why it failed; null if it did not. */
  readonly reason: string | null;
}
