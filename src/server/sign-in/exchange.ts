import * as z from "zod/mini";
import type { Fetch, FetchInit, FetchResponse } from "../../wire/fetch.ts";
import { SignInError } from "../errors.ts";
import type { Connection } from "../providers/connections.ts";
import type { Get } from "../providers/provider.ts";

const DEADLINE_MS = 10_000;
const MAX_REPLY_BYTES = 1 << 20;
const USER_AGENT = "svc-identity";
const MAX_LIFETIME_SECONDS = 10 * 365 * 86_400;

export interface ProviderTokens {
  access_token: string;
  refresh_token?: string | null | undefined;
  /** Seconds. */
  expires_in?: number | null | undefined;
}
const TokenReply: z.ZodMiniType<ProviderTokens> = z.object({
  // As it must fit a header (RFC 6750, 2.1).
  access_token: z.string().check(z.regex(/^[\x21-\x7e]{1,8192}$/)),
  // RFC 6749, A.17.
  refresh_token: z.nullish(z.string().check(z.regex(/^[\x20-\x7e]{0,8192}$/))),
  expires_in: z.nullish(z.number().check(z.positive(), z.maximum(MAX_LIFETIME_SECONDS))),
});

/**
 * RFC 6749, 4.1.3. A code is good once, so this is never tried again.
 * @throws {SignInError}
 */
export function exchangeCode(
  connection: Connection,
  {
    code,
    redirect_uri,
    code_verifier,
    signal,
  }: { code: string; redirect_uri: string; code_verifier: string | null; signal: AbortSignal },
): Promise<ProviderTokens> {
  const { client_id, client_secret, provider } = connection;
  const body = new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri, client_id });
  const headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" };
  if (provider.clientAuthentication === "body") body.set("client_secret", client_secret);
  else
    headers["authorization"] =
      `Basic ${Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`).toString("base64")}`;
  if (code_verifier !== null) body.set("code_verifier", code_verifier);
  return fetchJson(
    connection,
    connection.endpoints.token,
    { method: "POST", headers, body: body.toString(), signal },
    TokenReply,
  );
}

/** What a provider reads a profile with. */
export function bearerGet(connection: Connection, access_token: string, signal: AbortSignal): Get {
  return (url, schema) =>
    fetchJson(connection, url, { method: "GET", headers: { authorization: `Bearer ${access_token}` }, signal }, schema);
}

/** One bound on all that a provider is asked in one sign-in. */
export function providerDeadline(): AbortSignal {
  return AbortSignal.timeout(DEADLINE_MS);
}

async function fetchJson<Schema extends z.ZodMiniType>(
  connection: Connection,
  url: string,
  init: FetchInit,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const who = connection.provider.name;
  const { status, text } = await send(connection.fetch, who, url, init);
  if (status === 429 || status >= 500)
    throw new SignInError("temporarily_unavailable", `${who} answered with status ${status}`);
  if (status !== 200) throw new SignInError("server_error", `${who} answered with status ${status}`);
  const reply = schema.safeParse(parseJson(text));
  // GitHub reports errors with status 200: no token in the answer is what tells.
  if (!reply.success) throw new SignInError("server_error", `${who} answered with something else than was asked for`);
  return reply.data;
}

async function send(
  fetch: Fetch,
  who: string,
  url: string,
  init: FetchInit,
): Promise<{ status: number; text: string }> {
  const headers = { ...init.headers, accept: "application/json", "user-agent": USER_AGENT };
  try {
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    return { status: response.status, text: await readCapped(response) };
  } catch (error) {
    if (error instanceof SignInError) throw error;
    throw new SignInError("temporarily_unavailable", `${who} could not be reached`, { cause: error });
  }
}

async function readCapped(response: FetchResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_REPLY_BYTES) throw new SignInError("server_error", "the provider's answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
