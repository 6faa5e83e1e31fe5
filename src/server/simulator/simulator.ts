import { setTimeout as delay } from "node:timers/promises";
import type { FetchInit, FetchResponse } from "../../wire/http/fetch.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import { PROVIDERS, isProvider, type Provider } from "../../wire/providers.ts";
import { normalizeEmail } from "../../wire/text/fold.ts";
import type { ConnectionRecord, PersonaRecord } from "../store/records.ts";
import { withEdit } from "./edit.ts";
import { createGrants, type Grants } from "./grants.ts";
import { alteredPersona, tokenFailure } from "./outcomes.ts";
import { Personas } from "./personas.ts";
import { notFound, reply, type SimulatedProvider, type TokenRequest } from "./provider.ts";
import { SIMULATED } from "./providers.ts";
import { createSealer } from "./sealer.ts";

export interface SimulatorOptions {
  /** The front door's origin. The providers' addresses are below it. */
  readonly front: string;
  callbackUrl(provider: Provider): string;
  readonly personas: readonly PersonaRecord[];
  /** The clients that are registered with a provider, besides the simulator's own. */
  clients(provider: Provider): readonly ConnectionRecord[];
  /** A secret shared by all processes on this store. */
  readonly sealKey: Buffer;
  now(): Date;
}

/** One simulated provider at work: its rules, what it has granted, and the clients and accounts that it knows. */
export interface AuthorizationServer {
  readonly name: Provider;
  readonly provider: SimulatedProvider;
  readonly grants: Grants;
  readonly personas: Personas;
  /** The only redirect_uri that is registered. */
  readonly callbackUrl: string;
  /** Whether a client is registered. @param client_secret must be the client's if it is given */
  isClient(client_id: string, client_secret?: string): boolean;
}

export type Simulator = ReturnType<typeof createSimulator>;

/** The simulated providers. They enforce what the real ones enforce. */
export function createSimulator(options: SimulatorOptions) {
  const { front, callbackUrl, clients, sealKey, now } = options;
  const prefix = `${front}/__svc/simulator`;
  const personas = new Personas(options.personas);
  const grants = createGrants({ sealer: createSealer(sealKey), recall: (known) => personas.recall(known), now });
  const client: ConnectionRecord = { client_id: "svc-simulator", client_secret: "svc-simulator-secret" };

  const servers = byProvider((name): AuthorizationServer => ({
    name,
    provider: SIMULATED[name],
    grants,
    personas,
    callbackUrl: callbackUrl(name),
    isClient(client_id, client_secret) {
      const fits = (own: ConnectionRecord): boolean =>
        own.client_id === client_id && (client_secret === undefined || own.client_secret === client_secret);
      // Most sign-ins use the simulator's own client. Only for others, all instances are searched.
      return fits(client) || clients(name).some(fits);
    },
  }));

  const endpoints = byProvider((name) => {
    const entries = Object.entries(SIMULATED[name].endpoints);
    const addresses = entries.map(([key, path]) => [key, `${prefix}/${name}${path}`] as const);
    return Object.fromEntries(addresses) as SimulatedProvider["endpoints"];
  });
  return {
    client,
    personas,
    at: (name: Provider): AuthorizationServer => servers[name],
    endpoints: (name: Provider) => endpoints[name],
    outcomeOf: (code: string): OutcomeId | undefined => grants.issuedFor(code).outcome,

    /** Whether a persona, named by id or e-mail address, has an account at a provider. A new address has one everywhere. */
    hasAccount(name: Provider, hint: string): boolean {
      const persona = personas.find(hint);
      return persona ? persona.accounts[name] !== undefined : normalizeEmail(hint) !== undefined;
    },

    async fetch(url: string, init: FetchInit): Promise<FetchResponse> {
      const [, name = "", path = ""] = /^\/([^/?]*)([^?]*)/.exec(url.slice(prefix.length)) ?? [];
      if (!url.startsWith(`${prefix}/`) || !isProvider(name))
        throw new Error(`The simulator has nothing at ${new URL(url).origin}`);
      const provider = SIMULATED[name];
      if (path === provider.endpoints["token"]) return answerToken(servers[name], init);
      const bearer = /^Bearer (.+)$/.exec(init.headers?.["authorization"] ?? "")?.[1] ?? "";
      const consent = grants.consentOf(name, bearer);
      if (!consent) return reply(401, { message: "Bad credentials" });
      const { outcome, profile, scopes, delays } = consent.granted;
      if (path === profilePath(provider)) await pause(delays?.profile, init);
      if (outcome === "profile_error") return reply(500, { message: "Internal Server Error" });
      const avatar_url = consent.persona.avatar_url ?? `${prefix}/avatars/${personas.pictureName(consent.persona)}.svg`;
      const persona = alteredPersona({ ...consent.persona, avatar_url }, outcome, name);
      const account = persona.accounts[name];
      if (!account) return notFound();
      const answer = provider.resource(path, { account, persona, scopes }, init.headers ?? {});
      return profile ? withEdit(answer, provider, path, profile) : answer;
    },
  };
}

/** @throws if the caller gives up first */
async function pause(ms: number | undefined, { signal }: FetchInit): Promise<void> {
  if (ms) await delay(ms, undefined, signal && { signal });
}

/** The first of the resources. */
function profilePath({ endpoints }: SimulatedProvider): string | undefined {
  const { authorize: _, token: __, ...resources } = endpoints;
  return Object.values(resources)[0];
}

function byProvider<Value>(make: (name: Provider) => Value): Readonly<Record<Provider, Value>> {
  return Object.fromEntries(PROVIDERS.map((name) => [name, make(name)])) as Record<Provider, Value>;
}

/** The token endpoint of a provider. @throws if the connection is to fail or time out */
async function answerToken(
  { name, provider, grants, isClient }: AuthorizationServer,
  init: FetchInit,
): Promise<FetchResponse> {
  if (init.method !== "POST") return notFound();
  const request = parseTokenRequest(init);
  if (!request) return reply(400, { error: "unsupported_grant_type" });
  const { outcome, delays } = grants.issuedFor(request.code);
  await pause(delays?.token, init);
  const failure = await tokenFailure(outcome, name);
  if (failure) return failure;
  // The code is already redeemed, as if another client had used it.
  if (outcome === "code_rejected") grants.redeem(name, request);
  const isTheirs = isClient(request.client_id, request.client_secret) && outcome !== "invalid_client";
  return provider.token(request, isTheirs, () => grants.redeem(name, request));
}

function parseTokenRequest({ headers = {}, body = "" }: FetchInit): TokenRequest | undefined {
  const form = new URLSearchParams(body);
  if (form.get("grant_type") !== "authorization_code") return undefined;
  const basic = /^Basic (.+)$/.exec(headers["authorization"] ?? "")?.[1];
  const [id, secret] = basic
    ? Buffer.from(basic, "base64").toString().split(":").map(decodeURIComponent)
    : [form.get("client_id"), form.get("client_secret")];
  return {
    code: form.get("code") ?? "",
    client_id: id ?? "",
    redirect_uri: form.get("redirect_uri") ?? "",
    code_verifier: form.get("code_verifier") ?? undefined,
    client_secret: secret ?? "",
    method: basic ? "basic" : "body",
    accept: headers["accept"] ?? "",
  };
}
