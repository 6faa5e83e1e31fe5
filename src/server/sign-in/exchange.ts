import { clearTimeout, setTimeout } from "node:timers";
import * as z from "zod/mini";
import { BodyTooLong, readText } from "../../wire/http/body.ts";
import type { FetchInit } from "../../wire/http/fetch.ts";
import { SignInError } from "../errors.ts";
import type { Connection } from "../providers/connections.ts";
import { type Get, lenient, unreadPaths } from "../providers/provider.ts";
import { endpointOf, refusalOf } from "./provider-errors.ts";

const PROVIDER_TIMEOUT_MS = 10_000;
const MAX_REPLY_BYTES = 1 << 20;
const COMMON_HEADERS = { accept: "application/json", "user-agent": "svc-identity" };
const MAX_LIFETIME_SECONDS = 10 * 365 * 86_400;

export interface ProviderTokens {
  access_token: string;
  refresh_token?: string | null | undefined;
  /** Seconds. */
  expires_in?: number | null | undefined;
}
const Seconds = z.pipe(
  z.union([z.number(), z.string().check(z.regex(/^\d{1,10}$/))]),
  z.pipe(z.transform(Number), z.number().check(z.nonnegative(), z.maximum(MAX_LIFETIME_SECONDS))),
);
const TokenReply: z.ZodMiniType<ProviderTokens> = z.object({
  // It must fit into a header (RFC 6750, 2.1).
  access_token: z.string().check(z.regex(/^[\x21-\x7e]{1,8192}$/)),
  // RFC 6749, A.17.
  refresh_token: lenient(z.string().check(z.regex(/^[\x20-\x7e]{0,8192}$/))),
  expires_in: lenient(Seconds),
});

/** What the two requests of a sign-in have in common. */
export interface Exchange {
  readonly connection: Connection;
  /** Ends both. */
  readonly signal: AbortSignal;
  /** Called with the paths, such as `userinfo.name`, of what the provider sent and could not be read. */
  onIgnored(paths: readonly string[]): void;
  /** Called with each request and its answer. They contain secrets, which the receiver must remove. */
  onReply?(reply: ProviderReply): void;
}

/** One request to a provider, and its answer. */
export interface ProviderReply {
  /** Its name, such as `token`. */
  readonly endpoint: string;
  readonly url: string;
  readonly method: string;
  /** The fields of its body. */
  readonly sent: Readonly<Record<string, string>>;
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  /** The parsed body; undefined if it could not be parsed. */
  readonly body: unknown;
  readonly ms: number;
}

/**
 * RFC 6749, 4.1.3. A code is good once, so this is never tried again.
 * @throws {SignInError}
 */
export function exchangeCode(
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

/** One deadline for all requests of a sign-in to its provider. `AbortSignal.timeout` would keep its timer after the last. */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  ms: number = PROVIDER_TIMEOUT_MS,
): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new DOMException("the provider took too long", "TimeoutError")), ms);
  timer.unref();
  try {
    return await work(deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function fetchReply<Schema extends z.ZodMiniType>(
  exchange: Exchange,
  endpoint: string,
  init: FetchInit,
  schema: Schema,
  sent: ProviderReply["sent"] = {},
): Promise<z.infer<Schema>> {
  const { name } = exchange.connection.provider;
  const startedAt = performance.now();
  let status: number | undefined;
  let reply: unknown;
  try {
    const answer = await send(exchange, endpoint, init);
    status = answer.status;
    reply = parseReply(answer.text);
  } finally {
    exchange.onReply?.({
      endpoint,
      url: exchange.connection.endpoints[endpoint as "token"],
      method: init.method ?? "GET",
      sent,
      status,
      body: reply,
      ms: performance.now() - startedAt,
    });
  }
  if (status === 429 || status >= 500)
    throw new SignInError("temporarily_unavailable", refusalOf(name, endpoint, status, reply));
  if (status !== 200) throw new SignInError("server_error", refusalOf(name, endpoint, status, reply));
  const parsed = schema.safeParse(reply);
  if (!parsed.success) throw new SignInError("server_error", refusalOf(name, endpoint, status, reply, parsed.error));
  const ignored = unreadPaths(reply, parsed.data);
  if (ignored.length > 0)
    exchange.onIgnored(ignored.map((path) => endpoint + (path.startsWith("[") ? path : `.${path}`)));
  return parsed.data;
}

async function send(
  { connection, signal }: Exchange,
  endpoint: string,
  init: FetchInit,
): Promise<{ status: number; text: string }> {
  const { name } = connection.provider;
  try {
    const url = connection.endpoints[endpoint as "token"];
    const response = await connection.fetch(url, init);
    return { status: response.status, text: await readText(response.body ?? [], MAX_REPLY_BYTES) };
  } catch (error) {
    if (error instanceof BodyTooLong)
      throw new SignInError(
        "server_error",
        `The answer of ${endpointOf(name, endpoint)} is longer than ${MAX_REPLY_BYTES} bytes. Check the endpoint's address.`,
      );
    const problem = signal.aborted
      ? "did not answer in time. Try again later."
      : "could not be reached. Check the network and the endpoint's address.";
    throw new SignInError("temporarily_unavailable", `${endpointOf(name, endpoint)} ${problem}`, { cause: error });
  }
}

/** JSON, or the form encoding that GitHub and compatible servers answer with, whatever `Accept` says. */
function parseReply(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return /^\w+=/.test(text) ? Object.fromEntries(new URLSearchParams(text)) : undefined;
  }
}
