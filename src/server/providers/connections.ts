import { proxyInWords, proxyVariable } from "../../network/proxy.ts";
import { credentialVariables, PROVIDERS, type Provider } from "../../wire/providers.ts";
import { Refusal } from "../errors.ts";
import type { ConnectionRecord, InstanceRecord } from "../store/records.ts";
import type { AskEndpoint } from "./fetch.ts";
import type { DEFINITIONS as Definitions } from "./index.ts";
import type { Credentials, Offers } from "./offers.ts";
import type { ProviderDefinition } from "./provider.ts";

/** How to sign a user in at a provider for one instance. */
export interface Connection {
  readonly provider: ProviderDefinition;
  readonly client_id: string;
  readonly client_secret: string;
  readonly endpoints: ProviderDefinition["endpoints"];
  readonly loginHint: string | undefined;
  readonly ask: AskEndpoint;
  readonly isSimulated: boolean;
}

/** The simulated providers, as a sign-in sees them. */
interface Simulated {
  readonly ask: AskEndpoint;
  endpoints(provider: Provider): ProviderDefinition["endpoints"];
  /** The client that is registered at all of them from the start. */
  readonly client: ConnectionRecord;
}

interface ConnectionOptions {
  readonly offers: Offers;
  /** Its endpoints replace the providers' own. */
  readonly globals: Credentials;
  readonly simulated: Simulated;
  readonly ask: AskEndpoint;
}

/** @throws {Refusal} `provider_not_configured` if the instance does not offer the provider */
export type ConnectProvider = (instance: InstanceRecord, provider: Provider) => Promise<Connection>;

/** Chooses, for an instance and a provider, credentials and endpoints. */
export function createConnect({ offers, globals, simulated, ask }: ConnectionOptions): ConnectProvider {
  let definitions: Promise<{ DEFINITIONS: typeof Definitions }> | undefined;
  const atSimulator = new Map<Provider, Connection["endpoints"]>();
  const simulatedEndpoints = ({ name, endpoints: own }: ProviderDefinition): Connection["endpoints"] => {
    const endpoints = atSimulator.get(name) ?? withDefaults(own, simulated.endpoints(name));
    atSimulator.set(name, endpoints);
    return endpoints;
  };
  return async (instance, name) => {
    const { in_force, credentials } = offers.of(instance, name);
    if (in_force === "off") throw notConfigured(instance, name, offers);
    // Loaded with the first sign-in: it parses the providers' replies, which takes validators.
    const { DEFINITIONS } = await (definitions ??= import("./index.ts"));
    const provider = DEFINITIONS[name];
    const { client_id, client_secret } = credentials ?? simulated.client;
    const isSimulated = in_force === "simulated";
    return {
      provider,
      client_id,
      client_secret,
      endpoints: isSimulated
        ? simulatedEndpoints(provider)
        : withDefaults(provider.endpoints, replacedEndpoints(instance, name, globals)),
      loginHint: isSimulated ? "login_hint" : provider.loginHint,
      ask: isSimulated ? simulated.ask : ask,
      isSimulated,
    };
  };
}

export function hostsInstead(
  name: Provider,
  instances: readonly InstanceRecord[],
  { offers, globals }: Pick<ConnectionOptions, "offers" | "globals">,
): string[] {
  const asked = realAt(instances, name, offers);
  const addresses = asked.flatMap((instance) => Object.values(replacedEndpoints(instance, name, globals)));
  return [...new Set(addresses.map((address) => new URL(address).host))];
}

export async function proxiesInUse(
  instances: readonly InstanceRecord[],
  { offers, globals }: Pick<ConnectionOptions, "offers" | "globals">,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  // That of http counts for https too.
  if (proxyVariable("https:", env) === undefined) return [];
  const { DEFINITIONS } = await import("./index.ts");
  const proxies = PROVIDERS.flatMap((name) =>
    realAt(instances, name, offers).flatMap((instance) => {
      const { authorize: _, ...asked } = withDefaults(
        DEFINITIONS[name].endpoints,
        replacedEndpoints(instance, name, globals),
      );
      return Object.values(asked).flatMap((address) => proxyInWords(address, env) ?? []);
    }),
  );
  return [...new Set(proxies)];
}

export async function tokenEndpoints(globals: Credentials): Promise<string[]> {
  const { DEFINITIONS } = await import("./index.ts");
  const named = PROVIDERS.filter((name) => globals[name]?.client_id !== undefined);
  return named.map((name) => globals[name]?.endpoints?.["token"] ?? DEFINITIONS[name].endpoints.token);
}

/** The instances whose users sign in at the real provider. */
function realAt(instances: readonly InstanceRecord[], name: Provider, offers: Offers): InstanceRecord[] {
  return instances.filter((instance) => ["own", "global"].includes(offers.of(instance, name).in_force));
}

/** The endpoints beside the server's own credentials are for these alone: an instance's secret goes where the instance says. */
function replacedEndpoints(
  { connections }: InstanceRecord,
  name: Provider,
  globals: Credentials,
): Readonly<Record<string, string>> {
  const own = connections[name];
  const { client_id, endpoints } = globals[name] ?? {};
  return { ...(own === undefined || client_id === undefined ? endpoints : {}), ...own?.endpoints };
}

function notConfigured(instance: InstanceRecord, provider: Provider, { providersOf }: Offers): Refusal {
  const others = providersOf(instance);
  const instead = others.length > 0 ? `Use ${others.join(" or ")}, or set` : "Set";
  const variables = credentialVariables(provider).join(" and ");
  return new Refusal(
    "provider_not_configured",
    `${instance.name} has no credentials for ${provider}. ${instead} ${variables} on the server`,
  );
}

/** A replaced endpoint keeps the query parameters of the original that it doesn't set itself. */
function withDefaults(
  own: ProviderDefinition["endpoints"],
  replaced: Readonly<Record<string, string>>,
): ProviderDefinition["endpoints"] {
  const endpoints: Record<string, string> = { ...own };
  for (const [name, address] of Object.entries(replaced)) {
    const url = new URL(address);
    const missing = [...new URL(own[name as "token"]).searchParams].filter(([key]) => !url.searchParams.has(key));
    for (const [key, value] of missing) url.searchParams.append(key, value);
    endpoints[name] = url.href;
  }
  return endpoints as ProviderDefinition["endpoints"];
}
