import type { webcrypto } from "node:crypto";
import { onTestFinished, vi } from "vitest";
import type { Provider } from "../src/wire/providers.ts";
import { PROVIDERS } from "../src/wire/providers.ts";
import { startServer, type ControlledServer } from "./_control.ts";
import { basic, CHALLENGE, VERIFIER, withoutUndefined, type Fields } from "./_picker.ts";
import { REAL } from "./providers/_real.ts";
import { SEED } from "./_setup.ts";

/** Where Auth.js and Better Auth have it. */
export const callbackOf = (provider: Provider): string => `http://localhost:3000/api/auth/callback/${provider}`;

export const clientOf = (provider: Provider, name = "shop") => ({
  provider,
  client_id: `${name}-${provider}`,
  client_secret: `${name}-secret-of-${provider}`,
  redirect_uris: [callbackOf(provider), "http://localhost:3000/other"],
});

const [acme, globex] = SEED.instances;

/** The seed with an application of acme that has a client of its own at each provider, and one of globex. */
export const SEED_WITH_CLIENTS = {
  ...SEED,
  instances: [
    { ...acme, clients: PROVIDERS.map((provider) => clientOf(provider)) },
    { ...globex, clients: [clientOf("google", "other"), clientOf("github", "other")] },
  ],
} as never;

const { subtle } = globalThis.crypto;
const generate = subtle.generateKey.bind(subtle) as (...key: unknown[]) => Promise<webcrypto.CryptoKeyPair>;
let key: Promise<webcrypto.CryptoKeyPair> | undefined;

/** A key of RSA takes longer to make than most tests: the servers of this file's tests have one and the same. */
function shareKey(): void {
  const made = vi
    .spyOn(subtle, "generateKey")
    .mockImplementation((...asked: unknown[]) => (key ??= generate(...asked)));
  onTestFinished(() => made.mockRestore());
}

export function startWithClients(options: Parameters<typeof startServer>[0] = {}): Promise<ControlledServer> {
  if (options.store === undefined) shareKey();
  return startServer({ seed: SEED_WITH_CLIENTS, ...options });
}

export function issuerAt({ url }: { url: string }, provider: Provider): string {
  return `${url}/__svc/simulator/${provider}`;
}

/** The token endpoint's path below the issuer. */
export const tokenPath = (provider: Provider): string => (provider === "github" ? "/access_token" : "/token");

/** One request to the authorization endpoint, by a program. */
export function authorize(server: { url: string }, provider: Provider, changed: Fields = {}): Promise<Response> {
  const query = new URLSearchParams(
    withoutUndefined({
      response_type: "code",
      client_id: clientOf(provider).client_id,
      redirect_uri: callbackOf(provider),
      scope: REAL[provider].scope,
      state: "the-state",
      login_hint: "ada",
      ...(REAL[provider].pkce ? CHALLENGE : {}),
      ...changed,
    }),
  );
  return fetch(`${issuerAt(server, provider)}/authorize?${query.toString()}`, { redirect: "manual" });
}

/** The parameters of the redirect to the application. */
export async function answeredTo(response: Response): Promise<Record<string, string>> {
  return Object.fromEntries(new URL(response.headers.get("location") ?? "http://no.redirect").searchParams);
}

export async function codeAt(server: { url: string }, provider: Provider, changed?: Fields): Promise<string> {
  const { code = "" } = await answeredTo(await authorize(server, provider, changed));
  return code;
}

interface Exchange {
  readonly form?: Fields;
  readonly headers?: Record<string, string>;
}

/** A request to the token endpoint, as the provider wants it, with changes. */
export async function exchange(
  server: { url: string },
  provider: Provider,
  code: string,
  { form, headers }: Exchange = {},
): Promise<Response> {
  const { client_id, client_secret } = clientOf(provider);
  const isBasic = REAL[provider].clientAuthentication === "basic";
  return fetch(issuerAt(server, provider) + tokenPath(provider), {
    method: "POST",
    headers: { accept: "application/json", ...(isBasic && basic({ client_id, client_secret })), ...headers },
    body: new URLSearchParams(
      withoutUndefined({
        grant_type: "authorization_code",
        code,
        redirect_uri: callbackOf(provider),
        ...(isBasic ? { client_id } : { client_id, client_secret }),
        ...(REAL[provider].pkce && { code_verifier: VERIFIER }),
        ...form,
      }),
    ),
  });
}

export async function bodyOf(response: Response): Promise<[number, Record<string, unknown>]> {
  return [response.status, (await response.json()) as Record<string, unknown>];
}

/** The tokens of a whole sign-in. */
export async function tokensAt(
  server: { url: string },
  provider: Provider,
  changed?: Fields,
  by?: Exchange,
): Promise<Record<string, string>> {
  const [, tokens] = await bodyOf(await exchange(server, provider, await codeAt(server, provider, changed), by));
  return tokens as Record<string, string>;
}

/** One request for what the account's holder has granted. */
export function resource(server: { url: string }, provider: Provider, path: string, token = ""): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "user-agent": "shop" };
  return fetch(issuerAt(server, provider) + path, { headers });
}
