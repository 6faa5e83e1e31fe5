import { normalizeEmail } from "../../wire/text/fold.ts";
import { isProvider, PROVIDERS, type Provider } from "../../wire/providers.ts";
import type { Simulated } from "../providers/connections.ts";
import type { ConnectionRecord, PersonaRecord } from "../store/records.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { findRequest } from "./authorize-request.ts";
import { authorize, type AuthorizeReply, type Override, type UnknownAccount } from "./authorize.ts";
import { alteredPersona, SHORT_TIMEOUT_MS } from "./outcomes.ts";
import { Grants } from "./grants.ts";
import { Personas } from "./personas.ts";
import { withEdit } from "./profile-edit.ts";
import { pickerView, type PickerView } from "./picker.ts";
import type { SimulatedProvider } from "./provider.ts";
import { SIMULATED } from "./providers.ts";
import { notFound, reply } from "./replies.ts";
import { createSealer } from "./sealer.ts";
import { answerToken } from "./token-endpoint.ts";

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
  /** The machine's time, which `now` may differ from. */
  realNow(): Date;
}

/** The simulated providers. They enforce what the real ones enforce. */
export interface Simulator extends Simulated {
  readonly personas: Personas;
  /**
   * The authorization endpoint of a provider.
   * @param browser tells browsers apart; undefined for a program
   * @throws {ApiError} if the request is invalid in a way that providers answer without a redirect
   */
  authorize(
    provider: Provider,
    query: ReadonlyMap<string, string>,
    browser?: string,
    override?: Override,
  ): AuthorizeReply | UnknownAccount;
  /** The outcome chosen for the sign-in that issued this code. Undefined if none was chosen. */
  outcomeOf(code: string): OutcomeId | undefined;
  /** Whether a persona, named by id or e-mail address, has an account at a provider. A new address has one everywhere. */
  hasAccount(provider: Provider, name: string): boolean;
  /** The picker of a pending request. @throws {ApiError} if the request is unknown or another browser's */
  accounts(provider: Provider, query: ReadonlyMap<string, string>, browser?: string): PickerView;
}

export function createSimulator(options: SimulatorOptions): Simulator {
  const { front, callbackUrl, clients, sealKey } = options;
  const prefix = `${front}/__svc/simulator`;
  const personas = new Personas(options.personas, (picture) => `${prefix}/avatars/${picture}.svg`);
  const grants = new Grants(createSealer(sealKey), (reference) => personas.recall(reference), options);
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
    endpoints: (name) => endpoints[name],
    sealApplication: (application, state) => grants.sealApplication(application, state),

    authorize: (name, query, browser, override) => authorize(servers[name], query, { browser, override }),
    accounts: (name, query, browser) =>
      pickerView(servers[name], query, findRequest(servers[name], query.get("request") ?? "", browser)),
    outcomeOf: (code) => grants.issuedFor(code).outcome,
    holderOf: (code) => grants.issuedFor(code).holder,
    timeoutOf: (code) => (grants.issuedFor(code).outcome === "token_timeout" ? SHORT_TIMEOUT_MS : undefined),

    hasAccount(name, hint) {
      const persona = personas.find(hint);
      return persona ? persona.accounts[name] !== undefined : normalizeEmail(hint) !== undefined;
    },

    async fetch(url, init) {
      const [name, path] = splitAfter(url.slice(prefix.length + 1));
      if (!url.startsWith(`${prefix}/`) || !isProvider(name))
        throw new Error(`The simulator has nothing at ${new URL(url).origin}`);
      if (path === SIMULATED[name].endpoints["token"]) return answerToken(servers[name], init);
      const bearer = /^Bearer (.+)$/.exec(init.headers?.["authorization"] ?? "")?.[1] ?? "";
      const consent = grants.consentOf(name, bearer);
      if (!consent) return reply(401, { message: "Bad credentials" });
      if (consent.outcome === "profile_error") return reply(500, { message: "Internal Server Error" });
      const persona = alteredPersona(consent.persona, consent.outcome, name);
      const account = persona.accounts[name];
      if (!account) return notFound();
      const granted = { account, persona, scopes: consent.request.scopes };
      const answer = SIMULATED[name].resource(path, granted, init.headers ?? {});
      return consent.profile ? withEdit(answer, SIMULATED[name], path, consent.profile) : answer;
    },
  };
}

function byProvider<Value>(make: (name: Provider) => Value): Readonly<Record<Provider, Value>> {
  return Object.fromEntries(PROVIDERS.map((name) => [name, make(name)])) as Record<Provider, Value>;
}

function splitAfter(text: string): [string, string] {
  const path = text.split("?")[0] ?? "";
  const slash = path.indexOf("/");
  return [path.slice(0, slash), path.slice(slash)];
}
