// Below the faces: the simulator is asked without the service before it, whose checks would answer first.

import { Flows } from "../src/server/history/flows.ts";
import { createInstances } from "../src/server/instances/instances.ts";
import { parseSeed } from "../src/server/seed/parse.ts";
import { answerAuthorize, type AuthorizeDeps } from "../src/server/simulator/authorize.ts";
import { createSimulator, type Simulator } from "../src/server/simulator/simulator.ts";
import { openMemoryStore } from "../src/server/store/memory/memory-store.ts";
import type { FetchInit } from "../src/http/fetch.ts";
import type { SimulatedAnswer } from "../src/server/simulator/provider.ts";
import type { Provider } from "../src/wire/providers.ts";
import { REAL } from "./providers/_real.ts";
import { Clock, FRONT, SEED, START } from "./_setup.ts";
import { A, instance, state } from "./store/_records.ts";

export const CLIENT = { client_id: "svc-simulator", client_secret: "svc-simulator-secret" };

export const OTHER = { client_id: "acme", client_secret: "acme-secret" };

/** RFC 7636, appendix B. */
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

export const CHALLENGE = {
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
};

export type Fields = Readonly<Record<string, string | undefined>>;

export function withoutUndefined(fields: Fields): [string, string][] {
  return Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
}

export function callbackUrl(provider: Provider): string {
  return `${FRONT}/oauth/${provider}/callback`;
}

export function create(sealKey = Buffer.from("key_of_the_tests")): { simulator: Simulator; clock: Clock } {
  const clock = new Clock();
  const { personas } = parseSeed(JSON.stringify(SEED), "seed", START);
  return {
    clock,
    simulator: createSimulator({
      front: FRONT,
      callbackUrl,
      personas,
      clients: () => [OTHER],
      applications: { at: () => [] },
      keepKey: (make) => make(),
      sealKey,
      now: clock.now,
    }),
  };
}

export function authorization(provider: Provider, changed: Fields = {}): ReadonlyMap<string, string> {
  const request = {
    response_type: "code",
    client_id: CLIENT.client_id,
    redirect_uri: callbackUrl(provider),
    scope: REAL[provider].scope,
    state: "the-state",
    login_hint: "ada",
    ...(REAL[provider].pkce ? CHALLENGE : {}),
  };
  return new Map(withoutUndefined({ ...request, ...changed }));
}

/** What the authorize page depends on, with a store of its own, for each simulator. */
const DEPS = new WeakMap<Simulator, AuthorizeDeps>();

function depsOf(simulator: Simulator): AuthorizeDeps {
  const known = DEPS.get(simulator);
  if (known) return known;
  const { now } = new Clock();
  const instances = createInstances();
  instances.replace([instance(A, "acme")]);
  const deps = { simulator, instances, store: openMemoryStore(), flows: new Flows(now, true), decide: undefined, now };
  DEPS.set(simulator, deps);
  return deps;
}

/** A request of a sign-in that the service began. */
export async function begun(
  simulator: Simulator,
  provider: Provider,
  changed?: Fields,
): Promise<ReadonlyMap<string, string>> {
  const asked = authorization(provider, changed);
  await depsOf(simulator).store.saveState(state(0, { state: asked.get("state")!, instance_id: A, provider }));
  return asked;
}

/** The authorization endpoint, asked by a program: for a new request, or for a choice on the picker. */
export async function authorize(simulator: Simulator, provider: Provider, query: ReadonlyMap<string, string>) {
  const page = { provider, query, browser: undefined, labelledBrowser: undefined, isCrossSite: false };
  return (await answerAuthorize(depsOf(simulator), page)).reply;
}

export async function codeFor(simulator: Simulator, provider: Provider, changed?: Fields): Promise<string> {
  const outcome = await authorize(simulator, provider, await begun(simulator, provider, changed));
  if (!("location" in outcome)) throw new Error("a page instead of a code");
  return new URL(outcome.location).searchParams.get("code")!;
}

export function basic({ client_id, client_secret } = CLIENT): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}` };
}

export interface Exchange {
  form?: Fields;
  headers?: Record<string, string>;
}

/** A client's credentials, sent the way the provider wants them. */
export function credentialsFor(provider: Provider, client = CLIENT): Exchange {
  if (REAL[provider].clientAuthentication === "body") return { form: client };
  return { form: { client_id: client.client_id }, headers: basic(client) };
}

/** A valid code exchange with changes. */
export function exchange(
  simulator: Simulator,
  provider: Provider,
  code: string,
  changed: Exchange = {},
): Promise<SimulatedAnswer> {
  const identity = credentialsFor(provider);
  const form = {
    grant_type: "authorization_code",
    code,
    redirect_uri: callbackUrl(provider),
    ...identity.form,
    ...(REAL[provider].pkce && { code_verifier: VERIFIER }),
    ...changed.form,
  };
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const headers = { accept: "application/json", ...type, ...identity.headers, ...changed.headers };
  const body = new URLSearchParams(withoutUndefined(form)).toString();
  return simulator.ask(addressOf(simulator, provider, "token"), { method: "POST", headers, body });
}

export async function jsonOf(answer: SimulatedAnswer | Promise<SimulatedAnswer>): Promise<[number, unknown]> {
  const { status, text } = await answer;
  return [status, JSON.parse(text)];
}

export function addressOf({ endpoints }: Simulator, provider: Provider, name: string): string {
  return endpoints(provider)[name]!;
}

export function get(simulator: Simulator, url: string, token: string, more: FetchInit = {}): Promise<SimulatedAnswer> {
  const headers = { authorization: `Bearer ${token}`, "user-agent": "svc-identity", ...more.headers };
  return simulator.ask(url, { method: "GET", headers });
}
