import type { FetchInit } from "../../http/fetch.ts";
import { PROVIDERS, isProvider, type Provider } from "../../wire/providers.ts";
import { normalizeEmail } from "../../text/email.ts";
import type { ConnectionRecord, PersonaRecord } from "../store/records.ts";
import { SERVICE_CLIENT, SERVICE_REGISTRATION, type ApplicationClients } from "./clients.ts";
import { createEndpoints, type Answered, type AuthorizationServer, type EndpointRequest } from "./endpoints.ts";
import { createGrants } from "./grants.ts";
import { createOpenId, discoveryDocument, type KeepKey } from "./openid.ts";
import { Personas } from "./personas.ts";
import { reply, type SimulatedAnswer, type SimulatedProvider } from "./provider.ts";
import { SIMULATED } from "./providers.ts";
import { createSealer } from "./sealer.ts";

export interface SimulatorOptions {
  /** The front door's origin. The providers' addresses are below it. */
  readonly front: string;
  callbackUrl(provider: Provider): string;
  readonly personas: readonly PersonaRecord[];
  clients(provider: Provider): readonly ConnectionRecord[];
  /** Those of applications that speak to the providers by themselves. */
  readonly applications: Pick<ApplicationClients, "at">;
  readonly sealKey: Buffer;
  readonly keepKey: KeepKey;
  now(): Date;
}

export type Simulator = ReturnType<typeof createSimulator>;

/** The simulated providers. They enforce what the real ones enforce. */
export function createSimulator(options: SimulatorOptions) {
  const { front, callbackUrl, clients, applications, sealKey, keepKey, now } = options;
  const prefix = `${front}/__svc/simulator`;
  const personas = new Personas(options.personas);
  const grants = createGrants({ sealer: createSealer(sealKey), recall: (known) => personas.recall(known), now });
  const openId = createOpenId(keepKey, now);
  const ask = createEndpoints(prefix, openId);

  /** Which of the service's clients it is. Most sign-ins use the simulator's own: only for others, all instances are searched. */
  function registered(name: Provider, client_id: string, client_secret: string | null | undefined) {
    const fits = (own: ConnectionRecord): boolean =>
      own.client_id === client_id && (client_secret === null || own.client_secret === client_secret);
    return fits(SERVICE_CLIENT) || clients(name).some(fits) ? SERVICE_REGISTRATION : undefined;
  }

  const servers = byProvider((name): AuthorizationServer => {
    const isClient = (client_id: string): boolean => registered(name, client_id, null) !== undefined;
    return {
      name,
      provider: SIMULATED[name],
      grants,
      personas,
      issuer: `${prefix}/${name}`,
      callbackUrl: callbackUrl(name),
      isClient,
      applications: () => applications.at(name),
      applicationOf: (client_id) =>
        isClient(client_id) ? undefined : applications.at(name).find((own) => own.client_id === client_id),
    };
  });

  const endpoints = byProvider((name) => {
    const entries = Object.entries(SIMULATED[name].endpoints);
    const addresses = entries.map(([key, path]) => [key, `${prefix}/${name}${path}`] as const);
    return Object.fromEntries(addresses) as SimulatedProvider["endpoints"];
  });
  return {
    client: SERVICE_CLIENT,
    personas,
    at: (name: Provider): AuthorizationServer => servers[name],
    endpoints: (name: Provider) => endpoints[name],
    takeReplay: grants.takeReplay,

    /** Whether a persona, named by id or e-mail address, has an account at a provider. A new address has one everywhere. */
    hasAccount(name: Provider, hint: string): boolean {
      const persona = personas.find(hint);
      return persona ? persona.accounts[name] !== undefined : normalizeEmail(hint) !== undefined;
    },

    /** Answers this service, with its own clients. @throws if the connection is to fail or time out */
    async ask(url: string, init: FetchInit): Promise<SimulatedAnswer> {
      const [, name = "", path = "", query = ""] = /^\/([^/?]*)([^?]*)(.*)/.exec(url.slice(prefix.length)) ?? [];
      if (!url.startsWith(`${prefix}/`) || !isProvider(name))
        throw new Error(`The simulator has nothing at ${new URL(url).origin}`);
      const asked = { path, query: new URLSearchParams(query), init };
      const { response, error } = await ask(servers[name], asked, (id, secret) => registered(name, id, secret));
      if (response) return response;
      throw error;
    },

    async answerApplication(name: Provider, asked: EndpointRequest): Promise<Answered> {
      const server = servers[name];
      const { provider, issuer, applicationOf } = server;
      if (provider.claims && asked.path === "/.well-known/openid-configuration")
        return { response: reply(200, discoveryDocument(issuer, endpoints[name])) };
      if (provider.claims && asked.path === "/jwks") return { response: reply(200, await openId.jwks()) };
      if (provider.claims && asked.path === "/certs") return { response: reply(200, await openId.certs()) };
      return ask(server, asked, (client_id, client_secret) => {
        const own = applicationOf(client_id);
        return own && (client_secret === null || own.client_secret === client_secret) ? own.registration : undefined;
      });
    },
  };
}

function byProvider<Value>(make: (name: Provider) => Value): Readonly<Record<Provider, Value>> {
  return Object.fromEntries(PROVIDERS.map((name) => [name, make(name)])) as Record<Provider, Value>;
}
