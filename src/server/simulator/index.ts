import { isProvider, PROVIDERS, type Provider } from "../../wire/names.ts";
import type { Simulated } from "../providers/connections.ts";
import type { ConnectionRecord, PersonaRecord } from "../store/records.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { AuthorizeDeps } from "./authorize-request.ts";
import { authorize, showAccounts, type AuthorizeOutcome, type Chosen } from "./authorize.ts";
import { alteredPersona, SHORT_TIMEOUT_MS } from "./outcomes.ts";
import { Grants } from "./grants.ts";
import { Personas } from "./personas.ts";
import { reply, type PickerView, type SimulatedProvider } from "./provider.ts";
import { SIMULATED } from "./providers.ts";
import { createSealer } from "./sealer.ts";
import { answerToken } from "./token-endpoint.ts";

export interface SimulatorOptions {
  /** The front door's origin, behind which the providers stand. */
  readonly front: string;
  callbackUrl(provider: Provider): string;
  readonly personas: readonly PersonaRecord[];
  /** The clients that a provider knows, besides the simulator's own. */
  clients(provider: Provider): readonly ConnectionRecord[];
  /** A secret that all processes on this store share. */
  readonly sealKey: Buffer;
  now(): Date;
  /** The time of the machine, however `now` runs. */
  realNow(): Date;
}

/** The providers, played by this process. They enforce what the real ones enforce. */
export interface Simulator extends Simulated {
  readonly personas: Personas;
  /**
   * The browser's side of a provider.
   * @param browser tells browsers apart; undefined for a program
   * @throws {ApiError} for a request that a provider would not redirect from
   */
  authorize(
    provider: Provider,
    query: ReadonlyMap<string, string>,
    browser?: string,
    chosen?: Chosen,
  ): AuthorizeOutcome;
  /** How the sign-in that a code is of is to end; undefined: as it may. */
  outcomeOf(code: string): OutcomeId | undefined;
  /** Whether a persona's id or e-mail address has an account at a provider; a new address has one everywhere. */
  hasAccount(provider: Provider, name: string): boolean;
  /** What the picker shows; nothing is chosen. @throws {ApiError} for a request that was not given out to this browser */
  accounts(provider: Provider, query: ReadonlyMap<string, string>, browser?: string): PickerView;
}

export function createSimulator(options: SimulatorOptions): Simulator {
  const { front, callbackUrl, clients, sealKey } = options;
  const prefix = `${front}/__svc/simulator`;
  const personas = new Personas(options.personas, (id) => `${prefix}/avatars/${id}.svg`);
  const grants = new Grants(createSealer(sealKey), (reference) => personas.recall(reference), options);
  const client: ConnectionRecord = { client_id: "svc-simulator", client_secret: "svc-simulator-secret" };
  // Most sign-ins are the simulator's own: the instances, of which there may be many, are asked for the others alone.
  const isKnown = (name: Provider, fits: (own: ConnectionRecord) => boolean): boolean =>
    fits(client) || clients(name).some(fits);

  const depsOf = byProvider((name): AuthorizeDeps => ({
    grants,
    personas,
    callbackUrl: callbackUrl(name),
    isClient: (client_id) => isKnown(name, (own) => own.client_id === client_id),
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
    introduce: (application, state) => grants.introduce(application, state),

    authorize: (name, query, browser, chosen) =>
      authorize(name, SIMULATED[name], depsOf[name], query, { browser, chosen }),
    accounts: (name, query, browser) => showAccounts(name, SIMULATED[name], depsOf[name], query, browser),
    outcomeOf: (code) => grants.outcomeOf(code),
    timeoutOf: (code) => (grants.outcomeOf(code) === "token_timeout" ? SHORT_TIMEOUT_MS : undefined),

    hasAccount(name, hint) {
      const persona = personas.find(hint);
      return persona ? SIMULATED[name].account(persona) !== undefined : hint.includes("@");
    },

    async fetch(url, init) {
      const [name, path] = splitAfter(url.slice(prefix.length + 1));
      if (!url.startsWith(`${prefix}/`) || !isProvider(name))
        throw new Error(`The simulator has nothing at ${new URL(url).origin}`);
      if (path === SIMULATED[name].endpoints["token"])
        return answerToken(name, SIMULATED[name], grants, (fits) => isKnown(name, fits), init);
      const bearer = /^Bearer (.+)$/.exec(init.headers?.["authorization"] ?? "")?.[1] ?? "";
      const consent = grants.consentOf(name, bearer);
      if (!consent) return reply(401, { message: "Bad credentials" });
      if (consent.outcome === "profile_error") return reply(500, { message: "Internal Server Error" });
      const persona = alteredPersona(consent.persona, consent.outcome, name);
      return SIMULATED[name].resource(path, { persona, scopes: consent.request.scopes }, init.headers ?? {});
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
