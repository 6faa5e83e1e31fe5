import { clearTimeout, setTimeout } from "node:timers";
import * as z from "zod/mini";
import { BodyTooLong, readText } from "../../wire/http/body.ts";
import type { FetchInit, FetchResponse } from "../../wire/http/fetch.ts";
import { ProxyFailure } from "../../network/proxy.ts";
import { SignInError } from "../errors.ts";
import type { NoteStep } from "../history/flows.ts";
import { withoutQuery } from "../history/redact.ts";
import type { Connection } from "../providers/connections.ts";
import { type Get, lenient } from "../providers/provider.ts";
import { PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";

const MAX_REPLY_BYTES = 1 << 20;
const COMMON_HEADERS = { accept: "application/json", "user-agent": "svc-identity" };
const MAX_LIFETIME_SECONDS = 10 * 365 * 86_400;

const Seconds = z.pipe(
  z.union([z.number(), z.string().check(z.regex(/^\d{1,10}$/))]),
  z.pipe(z.transform(Number), z.number().check(z.nonnegative(), z.maximum(MAX_LIFETIME_SECONDS))),
);
const TokenReply = z.object({
  // It must fit into a header (RFC 6750, 2.1).
  access_token: z.string().check(z.regex(/^[\x21-\x7e]{1,8192}$/)),
  // RFC 6749, A.17.
  refresh_token: lenient(z.string().check(z.regex(/^[\x20-\x7e]{0,8192}$/))),
  expires_in: lenient(Seconds),
});
export type ProviderTokens = z.infer<typeof TokenReply>;

/** What a request to a provider needs. */
export interface Exchange {
  readonly connection: Connection;
  readonly signal: AbortSignal;
  /** Told of each request and the fields of its answer. They contain secrets, which it must remove. */
  readonly note: NoteStep;
}

/** Asks a provider, and ends the requests when the time is over. `AbortSignal.timeout` would keep its timer after the last. */
export async function askProvider<T>(
  asking: Omit<Exchange, "signal">,
  ask: (exchange: Exchange) => Promise<T>,
  timeoutMs = 10_000,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException("the provider took too long", "TimeoutError")), timeoutMs);
  timer.unref();
  try {
    return await ask({ ...asking, signal: late.signal });
  } finally {
    clearTimeout(timer);
  }
}

/** RFC 6749, 4.1.3. A code is good once, so this is never tried again. @throws {SignInError} */
export function requestTokens(
  exchange: Exchange,
  { code, redirect_uri, code_verifier }: { code: string; redirect_uri: string; code_verifier: string | null },
): Promise<ProviderTokens> {
  const { client_id, client_secret, provider } = exchange.connection;
  const sent: Record<string, string> = { grant_type: "authorization_code", code, redirect_uri, client_id };
  const headers: Record<string, string> = { ...COMMON_HEADERS, "content-type": "application/x-www-form-urlencoded" };
  if (provider.clientAuthentication === "body") sent["client_secret"] = client_secret;
  else
    headers["authorization"] =
      `Basic ${Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`).toString("base64")}`;
  if (code_verifier !== null) sent["code_verifier"] = code_verifier;
  const body = new URLSearchParams(sent).toString();
  const init: FetchInit = { method: "POST", headers, body, signal: exchange.signal, redirect: "manual" };
  return fetchReply(exchange, "token", init, TokenReply, sent);
}

/** For `fetchProfile` of a provider. */
export function bearerGet(exchange: Exchange, access_token: string): Get<string> {
  const headers = { ...COMMON_HEADERS, authorization: `Bearer ${access_token}` };
  const init: FetchInit = { method: "GET", headers, signal: exchange.signal, redirect: "manual" };
  return (endpoint, schema) => fetchReply(exchange, endpoint, init, schema);
}

async function fetchReply<Schema extends z.ZodMiniType>(
  exchange: Exchange,
  endpoint: string,
  init: FetchInit,
  schema: Schema,
  sent: Readonly<Record<string, string>> = {},
): Promise<z.infer<Schema>> {
  const { provider, endpoints } = exchange.connection;
  const url = endpoints[endpoint as "token"];
  const startedAt = performance.now();
  let status: number | undefined;
  let limit: string | undefined;
  let reply: unknown;
  try {
    const answer = await send(exchange, endpointOf(provider.name, endpoint), url, init);
    status = answer.status;
    limit = rateLimitOf(answer);
    reply = parseReply(answer.text);
  } finally {
    const step = {
      name: endpoint,
      ms: performance.now() - startedAt,
      sent: { url: withoutQuery(url), method: init.method, ...sent },
      answered: status === undefined ? undefined : { status, ...(reply as object | undefined) },
    };
    exchange.note({}, step);
  }
  const code = limit !== undefined || status >= 500 ? "temporarily_unavailable" : "server_error";
  if (status !== 200) throw new SignInError(code, refusalOf(provider.name, endpoint, status, reply, { limit }));
  const parsed = schema.safeParse(reply);
  if (!parsed.success)
    throw new SignInError(code, refusalOf(provider.name, endpoint, status, reply, { fault: parsed.error }));
  return parsed.data;
}

/** @param place names the endpoint */
async function send({ connection, signal }: Exchange, place: string, url: string, init: FetchInit) {
  try {
    const response = await connection.fetch(url, init);
    const { status, headers } = response;
    return { status, headers, text: await readText(response.body ?? [], MAX_REPLY_BYTES) };
  } catch (error) {
    if (error instanceof BodyTooLong)
      throw new SignInError(
        "server_error",
        `The answer of ${place} is longer than ${MAX_REPLY_BYTES} bytes. Check the endpoint's address.`,
      );
    const isLate = signal.aborted || (error instanceof Error && error.name === "TimeoutError");
    const isProxys = error instanceof ProxyFailure;
    const problem = isLate
      ? "did not answer in time. Try again later."
      : `could not be reached${isProxys ? error.message : ". Check the network and the endpoint's address."}`;
    throw new SignInError("temporarily_unavailable", `${place} ${problem}`, { cause: error });
  }
}

/**
 * When an answer that limits the rate says to ask again, in words; undefined if it doesn't limit it. GitHub's may be a 403,
 * with the time in seconds (`Retry-After`) or of Unix (X's header has one hyphen more).
 */
function rateLimitOf({ status, headers }: Pick<FetchResponse, "status" | "headers">): string | undefined {
  const after = headers.get("retry-after");
  const isSpent = after !== null || headers.get("x-ratelimit-remaining") === "0";
  if (status !== 429 && !(status === 403 && isSpent)) return undefined;
  if (after !== null && /^\d{1,9}$/.test(after)) return `in ${after} seconds`;
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
function endpointOf(provider: Provider, endpoint: string): string {
  return `${PROVIDER_TITLES[provider]}'s ${endpoint} endpoint`;
}

/** For the log: why a provider's answer can't be used, and what to do. Names fields and error codes, never values. */
function refusalOf(
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
