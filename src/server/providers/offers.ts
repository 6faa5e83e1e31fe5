import { credentialVariables, PROVIDERS, type Provider } from "../../wire/providers.ts";
import type { ProvidersMode } from "../../wire/serve.ts";
import { ServeError } from "../errors.ts";
import type { ConnectionRecord, InstanceRecord } from "../store/records.ts";

/** Whose credentials a sign-in uses: the instance's own, the server's or the simulator's. `off`: it is refused. */
export type InForce = "own" | "global" | "simulated" | "off";

interface Offer {
  readonly in_force: InForce;
  /** The real provider's, whether in force or not; undefined if there are none. */
  readonly credentials: ConnectionRecord | undefined;
}

interface OfferOptions {
  readonly mode: ProvidersMode;
  /** Used if an instance has none of its own (spec, "Rules"). */
  readonly globals: Credentials;
  /** Whether only this machine can reach the server. On others, simulated providers let anyone sign in as anyone. */
  readonly isLocal: boolean;
}

export type Offers = ReturnType<typeof createOffers>;

/** Decides which providers are real, simulated or off, at the start and for each sign-in. */
export function createOffers({ mode, globals, isLocal }: OfferOptions) {
  const canSimulate = mode === "simulated" || (mode === "auto" && isLocal);
  const of = (instance: InstanceRecord, provider: Provider): Offer => {
    const own = instance.connections[provider];
    const credentials = own ?? globalCredentials(provider, globals);
    if (mode === "simulated") return { in_force: "simulated", credentials };
    if (credentials) return { in_force: own ? "own" : "global", credentials };
    return { in_force: canSimulate ? "simulated" : "off", credentials };
  };
  return {
    mode,
    /** Whether a provider without credentials is simulated. */
    canSimulate,
    of,
    /** The providers that an instance's users can sign in through. */
    providersOf: (instance: InstanceRecord): Provider[] =>
      PROVIDERS.filter((provider) => of(instance, provider).in_force !== "off"),
  };
}

export type ProviderKind = "real" | "simulated" | "off" | "by instance";

/** For people: how a provider is offered by all instances, or that they differ. */
export function describeProvider(
  provider: Provider,
  instances: readonly InstanceRecord[],
  { of }: Offers,
): ProviderKind {
  const kinds = new Set(
    instances.map((instance): ProviderKind => {
      const { in_force } = of(instance, provider);
      return in_force === "own" || in_force === "global" ? "real" : in_force;
    }),
  );
  const [kind = "off"] = kinds;
  return kinds.size > 1 ? "by instance" : kind;
}

/**
 * An error message if an active instance does not offer its `default_provider`, where `/sign-in` sends its users; this
 * includes instances that offer no provider. Undefined if all do.
 * @param where the default is set, such as " in the seed"
 */
export function defaultFault(instances: readonly InstanceRecord[], offers: Offers, where = ""): string | undefined {
  const faulty = instances.filter(
    (instance) => instance.active && offers.of(instance, instance.default_provider).in_force === "off",
  );
  const [first] = faulty;
  if (first === undefined) return undefined;
  const names = faulty.map(({ name, default_provider }) => `${name} (${default_provider})`).join(", ");
  const offered = offers.providersOf(first);
  const instead = offered.length > 0 ? offered.join(" or ") : "a provider that has credentials";
  const variables = credentialVariables(first.default_provider).join(" and ");
  return `there are no credentials for the default_provider of ${names}. Set ${variables}, or set default_provider${where} to ${instead}.`;
}

/** A provider in the server's configuration: credentials, endpoints, or both. */
export interface ProviderConfig {
  client_id?: string | undefined;
  client_secret?: string | undefined;
  /** Addresses that replace the provider's own, by endpoint name: for these credentials; without any, for all. */
  endpoints?: Readonly<Record<string, string>> | undefined;
}

/** For all instances that have no connection of their own. */
export type Credentials = Partial<Record<Provider, ProviderConfig>>;

/** Merges both; the second takes precedence. */
export function joinCredentials(lower: Credentials, higher: Credentials): Credentials {
  const joined: Credentials = {};
  for (const provider of PROVIDERS) {
    const [low, high] = [lower[provider], higher[provider]];
    if (!low && !high) continue;
    const endpoints = low?.endpoints || high?.endpoints ? { ...low?.endpoints, ...high?.endpoints } : undefined;
    joined[provider] = { ...low, ...high, ...(endpoints && { endpoints }) };
  }
  return joined;
}

/** `SVC_GOOGLE_CLIENT_ID`, `SVC_GOOGLE_CLIENT_SECRET`, and so on. @throws {ServeError} if one of a pair is missing */
export function credentialsFromEnv(env: Readonly<Record<string, string | undefined>>): Credentials {
  const credentials: Credentials = {};
  for (const provider of PROVIDERS) {
    const [idName, secretName] = credentialVariables(provider);
    const [client_id, client_secret] = [env[idName], env[secretName]];
    if (client_id && client_secret) credentials[provider] = { client_id, client_secret };
    else if (client_id || client_secret)
      throw new ServeError(
        `${client_id ? secretName : idName} is not set, and ${client_id ? idName : secretName} is. Set both, or none.`,
      );
  }
  return credentials;
}

export function globalCredentials(provider: Provider, globals: Credentials): ConnectionRecord | undefined {
  const { client_id, client_secret } = globals[provider] ?? {};
  return client_id && client_secret ? { client_id, client_secret } : undefined;
}
