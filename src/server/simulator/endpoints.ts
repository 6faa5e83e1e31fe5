import { setTimeout as delay } from "node:timers/promises";
import type { FetchInit, FetchResponse } from "../../wire/http/fetch.ts";
import type { Provider } from "../../wire/providers.ts";
import type { PersonaRecord } from "../store/records.ts";
import { edited, withEdit } from "./edit.ts";
import type { ApplicationClient } from "./clients.ts";
import type { Consent, Granted, Grants } from "./grants.ts";
import type { Personas } from "./personas.ts";
import type { OpenId } from "./openid.ts";
import { alteredPersona, tokenFailure } from "./outcomes.ts";
import { notFound, reply, type Grant, type SimulatedProvider, type TokenRequest } from "./provider.ts";

/** One simulated provider at work: its rules, what it has granted, and the clients and accounts that it knows. */
export interface AuthorizationServer {
  readonly name: Provider;
  readonly provider: SimulatedProvider;
  readonly grants: Grants;
  readonly personas: Personas;
  /** Its name in OpenID Connect, below which its addresses are. */
  readonly issuer: string;
  /** The only redirect_uri that is registered for the service's clients. */
  readonly callbackUrl: string;
  /** Whether a client of the service is registered. @param client_secret must be the client's if it is given */
  isClient(client_id: string, client_secret?: string): boolean;
  /** The clients of applications. */
  applications(): readonly ApplicationClient[];
  /** The client of an application. Never one of the service's. */
  applicationOf(client_id: string): ApplicationClient | undefined;
}

/** What an endpoint answers, and what is known of the sign-in that it is asked for. */
export interface Answered {
  /** Undefined if the connection is to fail or time out. */
  readonly response?: FetchResponse;
  /** How it fails. */
  readonly error?: unknown;
  readonly granted?: Granted | undefined;
  /** Why the client, the code or the token was refused. */
  readonly why?: string | undefined;
  /** Whether it fails because the outcome of the sign-in says so. */
  readonly isChosen?: boolean;
}

/** Whether a client is registered. @param client_secret must be the client's if it is given */
type IsClient = (client_id: string, client_secret?: string) => boolean;

/** The endpoints that a client asks by itself: for tokens, and for what an account's holder has granted. */
export function createEndpoints(prefix: string, openId: OpenId) {
  function shownPersona({ name, personas }: AuthorizationServer, { persona, granted }: Consent): PersonaRecord {
    const avatar_url = persona.avatar_url ?? `${prefix}/avatars/${personas.pictureName(persona)}.svg`;
    return alteredPersona({ ...persona, avatar_url }, granted.outcome, name);
  }

  /** An application's. The service reads no id_token, and a signature takes as long as its own sign-in. */
  async function withIdToken(server: AuthorizationServer, grant: Grant & Consent): Promise<Grant> {
    const { granted, scopes, access_token } = grant;
    const { name, issuer, provider } = server;
    if (granted.instance_id === undefined || !provider.claims || !scopes.includes("openid")) return grant;
    const shown = shownPersona(server, grant);
    const own = provider.claims(shown.accounts[name] ?? {}, shown, scopes);
    const claims = granted.profile ? edited(own, granted.profile) : own;
    return { ...grant, id_token: await openId.sign(issuer, granted, claims, access_token) };
  }

  async function askToken(server: AuthorizationServer, init: FetchInit, isTheirs: IsClient): Promise<Answered> {
    const { name, provider, grants } = server;
    if (init.method !== "POST") return { response: notFound() };
    const request = parseTokenRequest(init, provider);
    if (!request) return { response: reply(400, { error: "unsupported_grant_type" }) };
    const opened = grants.open(request);
    const granted = opened?.value.granted;
    const { outcome, delays } = granted ?? {};
    await pause(delays?.token, init);
    const failure = await tokenFailure(outcome, name);
    if (failure) return { ...failure, granted, isChosen: true };
    if (outcome === "invalid_client")
      return { response: provider.wrongClient(request), granted, why: "it refused the client", isChosen: true };
    const isKnown = isTheirs(request.client_id, request.client_secret);
    if (!isKnown || (provider.needsBasic && request.method !== "basic")) {
      const why = isKnown ? "the client must use HTTP Basic" : "the client_id or the client_secret is wrong";
      return { response: provider.wrongClient(request), granted, why };
    }
    if (outcome === "code_rejected")
      return { response: provider.wrongCode(request), granted, why: "it refused the code", isChosen: true };
    const redeemed = grants.redeem(name, request, opened);
    if ("why" in redeemed) return { response: provider.wrongCode(request), granted, why: redeemed.why };
    return { response: provider.granted(await withIdToken(server, redeemed), request), granted };
  }

  /** The profile, and whatever else is at the provider's addresses. */
  async function askResource(server: AuthorizationServer, path: string, consent: Consent, init: FetchInit) {
    const { outcome, profile, scopes, delays } = consent.granted;
    const { name, provider } = server;
    const { authorize: _, token: __, ...resources } = provider.endpoints;
    if (path === Object.values(resources)[0]) await pause(delays?.profile, init);
    if (outcome === "profile_error") return reply(500, { message: "Internal Server Error" });
    const persona = shownPersona(server, consent);
    const account = persona.accounts[name];
    if (!account) return notFound();
    const answer = provider.resource(path, { account, persona, scopes }, init.headers ?? {});
    return profile ? withEdit(answer, provider, path, profile) : answer;
  }

  /** @param path below the provider's */
  return async (server: AuthorizationServer, path: string, init: FetchInit, isTheirs: IsClient): Promise<Answered> => {
    if (path === server.provider.endpoints.token) return askToken(server, init, isTheirs);
    const token = /^Bearer (.+)$/i.exec(init.headers?.["authorization"] ?? "")?.[1] ?? "";
    const found = server.grants.consentOf(server.name, token);
    if ("why" in found) return { response: badCredentials(), ...found };
    const { granted } = found;
    if (!isTheirs(granted.client_id)) return { response: badCredentials(), granted, why: "the client was removed" };
    const isChosen = granted.outcome === "profile_error" || granted.profile !== undefined;
    return { response: await askResource(server, path, found, init), granted, isChosen };
  };
}

function badCredentials(): FetchResponse {
  return reply(401, { message: "Bad credentials" }, { "www-authenticate": 'Bearer error="invalid_token"' });
}

/** @throws if the caller gives up first */
async function pause(ms: number | undefined, { signal }: FetchInit): Promise<void> {
  if (ms) await delay(ms, undefined, signal && { signal });
}

/** Undefined for a grant that the provider doesn't know. */
function parseTokenRequest(
  { headers = {}, body = "" }: FetchInit,
  { isOffline, isLenient }: SimulatedProvider,
): TokenRequest | undefined {
  const form = new URLSearchParams(body);
  const grant_type = form.get("grant_type") ?? (isLenient ? "authorization_code" : "");
  const isRefresh = grant_type === "refresh_token" && isOffline !== undefined;
  if (!isRefresh && grant_type !== "authorization_code") return undefined;
  const basic = /^Basic (.+)$/i.exec(headers["authorization"] ?? "")?.[1];
  const [id, secret] = basic ? basicCredentials(basic) : [form.get("client_id"), form.get("client_secret")];
  return {
    purpose: isRefresh ? "refresh" : "code",
    code: form.get(isRefresh ? "refresh_token" : "code") ?? "",
    client_id: id ?? "",
    redirect_uri: form.get("redirect_uri") ?? (isLenient || isRefresh ? undefined : ""),
    code_verifier: form.get("code_verifier") ?? undefined,
    client_secret: secret ?? "",
    method: basic ? "basic" : "body",
    accept: headers["accept"] ?? "",
  };
}

/** RFC 6749, 2.3.1. Text that is not encoded as it must be names no client. */
function basicCredentials(text: string): string[] {
  try {
    const pair = Buffer.from(text, "base64").toString().replaceAll("+", " ");
    return pair.split(":").map(decodeURIComponent);
  } catch {
    return [];
  }
}
