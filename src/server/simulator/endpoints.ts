import { setTimeout as delay } from "node:timers/promises";
import type { FetchInit } from "../../http/fetch.ts";
import type { Provider } from "../../wire/providers.ts";
import type { PersonaRecord } from "../store/records.ts";
import { edited, withEdit } from "./edit.ts";
import type { ApplicationClient } from "./clients.ts";
import type { Consent, Granted, Grants, Registered } from "./grants.ts";
import type { Personas } from "./personas.ts";
import type { OpenId } from "./openid.ts";
import { alteredPersona, tokenFailure } from "./outcomes.ts";
import {
  notFound,
  reply,
  type Grant,
  type SentCredentials,
  type SimulatedAnswer,
  type SimulatedProvider,
} from "./provider.ts";
import { credentialsOf, parametersOf, parseTokenRequest } from "./token-request.ts";

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
  /** Whether a client of the service is registered. */
  isClient(client_id: string): boolean;
  applications(): readonly ApplicationClient[];
  /** The client of an application. Never one of the service's. */
  applicationOf(client_id: string): ApplicationClient | undefined;
}

/** How long a sign-in waits for a token endpoint that will not answer: less than for a real one. */
const SHORT_TIMEOUT_MS = 250;

/** What an endpoint answers, and what is known of the sign-in that it is asked for. */
export interface Answered {
  /** Undefined if the connection is to fail or time out. */
  readonly response?: SimulatedAnswer;
  readonly error?: unknown;
  readonly granted?: Granted | undefined;
  /** Why the client, the code or the token was refused. */
  readonly why?: string | undefined;
  /** Whether it fails because the outcome of the sign-in says so. */
  readonly isChosen?: boolean;
}

export interface EndpointRequest {
  /** Below the provider's address. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly init: FetchInit;
}

/** Which registration a client is, if it is one. @param client_secret undefined if the client sent none; null if it is not asked for */
type Register = (client_id: string, client_secret: string | null | undefined) => string | undefined;

/** The endpoints that a client asks by itself: for tokens, and for what an account's holder has granted. */
export function createEndpoints(prefix: string, openId: OpenId) {
  function shownPersona({ name, personas }: AuthorizationServer, { persona, granted }: Consent): PersonaRecord {
    const avatar_url = persona.avatar_url ?? `${prefix}/avatars/${personas.pictureName(persona)}.svg`;
    return alteredPersona({ ...persona, avatar_url }, granted.outcome, name);
  }

  async function withIdToken(server: AuthorizationServer, grant: Grant & Consent): Promise<Grant> {
    const { granted, scopes, access_token } = grant;
    const { name, issuer, provider } = server;
    const shown = shownPersona(server, grant);
    const own = provider.claims!(shown.accounts[name] ?? {}, shown, scopes);
    const claims = granted.profile ? edited(own, granted.profile) : own;
    return { ...grant, id_token: await openId.sign(issuer, granted, claims, access_token) };
  }

  async function askToken(server: AuthorizationServer, init: FetchInit, register: Register): Promise<Answered> {
    const { name, provider, grants } = server;
    if (init.method !== "POST") return { response: notFound() };
    const request = parseTokenRequest(init, provider);
    if ("error" in request)
      return { response: reply(400, request), why: request.error_description ?? "it has no such grant" };
    const opened = grants.open(request);
    const granted = opened?.value.granted;
    const { outcome, delays } = granted ?? {};
    if (delays?.token) await delay(delays.token, undefined, init.signal && { signal: init.signal });
    if (outcome === "token_timeout") await delay(SHORT_TIMEOUT_MS);
    const failure = tokenFailure(outcome, name);
    if (failure) return { ...failure, granted, isChosen: true };
    if (outcome === "invalid_client")
      return { response: provider.wrongClient(request), granted, why: "it refused the client", isChosen: true };
    const client = registered(request.credentials, register);
    if (!client || (provider.needsBasic && request.method === "body")) {
      const why = client ? "the client must use HTTP Basic" : "the client_id or the client_secret is wrong";
      return { response: provider.wrongClient(request), granted, why };
    }
    if (outcome === "code_rejected")
      return { response: provider.wrongCode(request), granted, why: "it refused the code", isChosen: true };
    const redeemed = grants.redeem(name, request, client, opened);
    if ("why" in redeemed) return { response: provider.wrongCode(request), granted, why: redeemed.why };
    const grant = needsIdToken(server, redeemed) ? await withIdToken(server, redeemed) : redeemed;
    return { response: provider.granted(grant, request), granted };
  }

  /** RFC 7009. What was revoked stays so in this process. */
  function revoke(server: AuthorizationServer, { query, init }: EndpointRequest, register: Register): Answered {
    const { name, provider, grants } = server;
    const { needsClient, done, unknown } = provider.revocation!;
    const form = parametersOf(init, provider);
    const sent = form instanceof Map ? form : new Map<string, string>();
    const { credentials } = credentialsOf(init, sent);
    if (needsClient && !registered(credentials, register)) return { response: provider.wrongToken() };
    const token = sent.get("token") ?? query.get("token") ?? "";
    return { response: grants.revoke(name, token) ? done() : unknown() };
  }

  /** The profile, and whatever else is at the provider's addresses. */
  async function askResource(server: AuthorizationServer, { path, query, init }: EndpointRequest, consent: Consent) {
    const { outcome, profile, scopes, delays } = consent.granted;
    const { name, provider, issuer } = server;
    const { authorize: _, token: __, ...resources } = provider.endpoints;
    if (delays?.profile && path === Object.values(resources)[0])
      await delay(delays.profile, undefined, init.signal && { signal: init.signal });
    if (outcome === "profile_error") return reply(500, { message: "Internal Server Error" });
    const persona = shownPersona(server, consent);
    const account = persona.accounts[name];
    if (!account) return notFound();
    const { client_id } = consent.granted;
    const asked = { headers: init.headers ?? {}, query, url: issuer + path, client_id, validity: consent.validity };
    const answer = provider.resource(path, { account, persona, scopes }, asked);
    return profile ? withEdit(answer, provider, path, profile) : answer;
  }

  return async (server: AuthorizationServer, request: EndpointRequest, register: Register): Promise<Answered> => {
    const { name, provider, grants } = server;
    if (request.path === provider.endpoints.token) return askToken(server, request.init, register);
    if (request.path === provider.revocation?.path && request.init.method === "POST")
      return revoke(server, request, register);
    const found = grants.consentOf(name, tokenIn(server, request));
    if ("why" in found) return { response: provider.wrongToken(), ...found };
    const { granted } = found;
    const { client_id, registration } = granted;
    if (register(client_id, null) !== registration)
      return { response: provider.wrongToken(), granted, why: "the client was removed" };
    const isChosen = granted.outcome === "profile_error" || granted.profile !== undefined;
    return { response: await askResource(server, request, found), granted, isChosen };
  };
}

/** An application's sign-in does. The service reads no id_token, and a signature takes as long as its own sign-in. */
function needsIdToken(
  { provider }: AuthorizationServer,
  { granted, scopes }: Consent & Pick<Grant, "scopes">,
): boolean {
  return granted.instance_id !== undefined && provider.claims !== undefined && scopes.includes("openid");
}

/** RFC 6750, 2. */
function tokenIn({ provider }: AuthorizationServer, { query, init }: EndpointRequest): string {
  const { schemes = ["bearer"], takesTokenAsParameter } = provider;
  const [, scheme = "", token = ""] = /^(\S+) +(\S+)$/.exec(init.headers?.["authorization"] ?? "") ?? [];
  if (schemes.includes(scheme.toLowerCase())) return token;
  if (!takesTokenAsParameter) return "";
  const form = init.method === "POST" ? parametersOf(init, provider) : undefined;
  return query.get("access_token") ?? (form instanceof Map ? form.get("access_token") : undefined) ?? "";
}

function registered(credentials: readonly SentCredentials[], register: Register): Registered | undefined {
  for (const { client_id, client_secret } of credentials) {
    const registration = register(client_id, client_secret);
    if (registration !== undefined) return { client_id, registration };
  }
  return undefined;
}
