import { clearTimeout, setTimeout } from "node:timers";
import * as z from "zod/mini";
import { BodyTooLong } from "../../http/body.ts";
import type { FetchInit } from "../../http/fetch.ts";
import { ProxyFailure } from "../../network/proxy.ts";
import { SignInFailure } from "../errors.ts";
import type { NoteStep } from "../history/flows.ts";
import { withoutQuery } from "../history/redact.ts";
import type { Connection } from "./connections.ts";
import { MAX_REPLY_BYTES } from "./fetch.ts";
import { type Get, lenient } from "./provider.ts";
import { endpointOf, parseReply, rateLimitOf, replyRefusal, type ProviderAnswer } from "./replies.ts";

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

export interface ProviderExchange {
  readonly connection: Connection;
  readonly signal: AbortSignal;
  /** Told of each request and the fields of its answer. They contain secrets, which it must remove. */
  readonly note: NoteStep;
}

/** Ends the requests to a provider when the time is over. `AbortSignal.timeout` would keep its timer after the last. */
export function answerDeadline(ms = 10_000): { readonly signal: AbortSignal; end(): void } {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException("the provider took too long", "TimeoutError")), ms);
  timer.unref();
  return { signal: late.signal, end: () => clearTimeout(timer) };
}

/** RFC 6749, 4.1.3. A code is good once, so this is never tried again. @throws {SignInFailure} */
export function requestTokens(
  exchange: ProviderExchange,
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
export function bearerGet(exchange: ProviderExchange, access_token: string): Get<string> {
  const headers = { ...COMMON_HEADERS, authorization: `Bearer ${access_token}` };
  const init: FetchInit = { method: "GET", headers, signal: exchange.signal, redirect: "manual" };
  return (endpoint, schema) => fetchReply(exchange, endpoint, init, schema);
}

async function fetchReply<Schema extends z.ZodMiniType>(
  exchange: ProviderExchange,
  endpoint: string,
  init: FetchInit,
  schema: Schema,
  sent: Readonly<Record<string, string>> = {},
): Promise<z.infer<Schema>> {
  const { provider, endpoints } = exchange.connection;
  const url = endpoints[endpoint as "token"];
  const startedAt = performance.now();
  let answer: ProviderAnswer | undefined;
  let reply: unknown;
  try {
    answer = await exchange.connection.ask(url, init);
    reply = answer.text === undefined ? undefined : parseReply(answer.text);
  } catch (error) {
    throw unanswered(exchange, endpointOf(provider.name, endpoint), error);
  } finally {
    const step = {
      name: endpoint,
      ms: performance.now() - startedAt,
      sent: { url: withoutQuery(url), method: init.method, ...sent },
      answered: answer && { status: answer.status, ...(reply as object | undefined) },
    };
    exchange.note({}, step);
  }
  const { status } = answer;
  const limit = rateLimitOf(answer);
  const code = limit !== undefined || status >= 500 ? "temporarily_unavailable" : "server_error";
  if (status !== 200) throw new SignInFailure(code, replyRefusal(provider.name, endpoint, status, reply, { limit }));
  const parsed = schema.safeParse(reply);
  if (!parsed.success)
    throw new SignInFailure(code, replyRefusal(provider.name, endpoint, status, reply, { fault: parsed.error }));
  return parsed.data;
}

/** Why a request got no answer. @param place names the endpoint */
function unanswered({ signal }: ProviderExchange, place: string, error: unknown): SignInFailure {
  if (error instanceof BodyTooLong)
    return new SignInFailure(
      "server_error",
      `The answer of ${place} is longer than ${MAX_REPLY_BYTES} bytes. Check the endpoint's address.`,
    );
  const isLate = signal.aborted || (error instanceof Error && error.name === "TimeoutError");
  const isProxys = error instanceof ProxyFailure;
  const problem = isLate
    ? "did not answer in time. Try again later."
    : `could not be reached${isProxys ? error.message : ". Check the network and the endpoint's address."}`;
  return new SignInFailure("temporarily_unavailable", `${place} ${problem}`, { cause: error });
}
