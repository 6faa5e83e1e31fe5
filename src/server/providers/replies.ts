import type * as z from "zod/mini";
import { PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";

/** What an endpoint of a provider answers. */
export interface ProviderAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: { get(name: string): string | null | undefined };
  /** Undefined if it is not UTF-8: it would be stored with U+FFFD in it. */
  readonly text: string | undefined;
}

/**
 * When an answer that limits the rate says to ask again, in words; undefined if it doesn't limit it. GitHub's may be a 403,
 * with the time in seconds (`Retry-After`) or of Unix (X's header has one hyphen more).
 */
export function rateLimitOf({ status, headers }: ProviderAnswer): string | undefined {
  const after = headers.get("retry-after") ?? undefined;
  const isSpent = after !== undefined || headers.get("x-ratelimit-remaining") === "0";
  if (status !== 429 && !(status === 403 && isSpent)) return undefined;
  if (after !== undefined && /^\d{1,9}$/.test(after)) return `in ${after} seconds`;
  const reset = headers.get("x-ratelimit-reset") ?? headers.get("x-rate-limit-reset") ?? "";
  return /^\d{1,10}$/.test(reset) ? `at ${new Date(Number(reset) * 1000).toISOString()}` : "later";
}

/** JSON, or the form encoding that GitHub and compatible servers answer with, whatever `Accept` says. */
export function parseReply(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return /^\w+=/.test(text) ? Object.fromEntries(new URLSearchParams(text)) : undefined;
  }
}

/** Error codes, such as `invalid_client`. Anything else may be data, which stays out of the log. */
const CODE = /^[a-z_-]{1,48}$/i;

/** Error codes for client credentials that a provider rejects (RFC 6749, 5.2; GitHub; Twitter). */
export const BAD_CREDENTIALS: ReadonlySet<string> = new Set([
  "invalid_client",
  "incorrect_client_credentials",
  "unauthorized_client",
]);

/** Error codes for an authorization code that a provider rejects (RFC 6749, 5.2; GitHub). */
const BAD_CODE: ReadonlySet<string> = new Set(["invalid_grant", "bad_verification_code"]);

/** `Google's token endpoint`. */
export function endpointOf(provider: Provider, endpoint: string): string {
  return `${PROVIDER_TITLES[provider]}'s ${endpoint} endpoint`;
}

/** For the log: why a provider's answer can't be used, and what to do. Names fields and error codes, never values. */
export function replyRefusal(
  provider: Provider,
  endpoint: string,
  status: number,
  reply: unknown,
  { limit, fault }: { readonly limit?: string | undefined; readonly fault?: z.core.$ZodError },
): string {
  const title = PROVIDER_TITLES[provider];
  const code = errorCodeOf(reply);
  if (code !== undefined && BAD_CREDENTIALS.has(code))
    return `${title} rejected the client credentials (${code}). Check client_id and client_secret.`;
  const answered = `${endpointOf(provider, endpoint)} answered ${status}`;
  if (code !== undefined || status !== 200)
    return `${answered}${code === undefined ? "" : `, error ${code}`}. ${limit === undefined ? remedyFor(title, endpoint, status, code) : `${title} limits the rate: try again ${limit}.`}`;
  const paths = new Set(fault?.issues.map(({ path }) => path.join(".")) ?? [""]);
  if (paths.has("")) return `${answered}, but not with JSON of the expected form. Check the endpoint's address.`;
  const verbs = paths.size === 1 ? "is missing or has" : "are missing or have";
  return `${answered}, but ${[...paths].join(", ")} ${verbs} the wrong form. Check the endpoint's address.`;
}

function remedyFor(title: string, endpoint: string, status: number, code: string | undefined): string {
  if (status >= 500) return `The fault is at ${title}: try again later.`;
  if (endpoint !== "token")
    return `Check that the application may read the profile and the e-mail address at ${title}.`;
  if (code !== undefined && BAD_CODE.has(code)) return "The code is wrong, used or expired: start a new sign-in.";
  if (code === "redirect_uri_mismatch") return `Register the callback URL of this server at ${title}.`;
  return `Check the settings of the application at ${title}.`;
}

/** Why a provider's redirect has an error instead of a code. */
export function reportOf(provider: Provider, error: string): string {
  const title = PROVIDER_TITLES[provider];
  const reported = `${title} reported ${CODE.test(error) ? error : "an error"}`;
  if (error === "access_denied") return `${reported}: the user cancelled, or may not use this application.`;
  if (error === "temporarily_unavailable") return `${reported}. Try again later.`;
  return `${reported} instead of a code. Check the settings of the application at ${title}.`;
}

/** `error` (RFC 6749, 5.2), `error.status` (Google's APIs), the first of `errors` or `reason` (Twitter's). */
function errorCodeOf(reply: unknown): string | undefined {
  const { error, errors, reason } = (reply ?? {}) as { error?: unknown; errors?: unknown; reason?: unknown };
  const first = Array.isArray(errors) ? (errors[0] as { title?: unknown } | null)?.title : undefined;
  const candidates = [error, (error as { status?: unknown } | null | undefined)?.status, first, reason];
  return candidates.find((code): code is string => typeof code === "string" && CODE.test(code));
}
