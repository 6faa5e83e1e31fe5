import type { Fetch } from "../../wire/fetch.ts";
import { PROVIDERS, type Provider } from "../../wire/names.ts";
import { ServeError } from "../errors.ts";
import type { ConnectionRecord, InstanceRecord } from "../store/records.ts";
import type { ProviderDefinition } from "./provider.ts";

/** All that is needed to sign somebody in at a provider for one instance. */
export interface Connection {
  readonly provider: ProviderDefinition;
  readonly client_id: string;
  readonly client_secret: string;
  readonly endpoints: ProviderDefinition["endpoints"];
  readonly loginHint: string | undefined;
  readonly fetch: Fetch;
}

export type Credentials = Partial<Record<Provider, ConnectionRecord>>;

/** `real`: credentials are a must. `simulated`: the simulator, always. `auto`: whichever there are credentials for. */
export type ProvidersMode = "auto" | "real" | "simulated";

/** The stand-in for a provider: where its endpoints are, and the client it knows without being told. */
export interface Simulated {
  readonly fetch: Fetch;
  endpoints(provider: Provider): Readonly<Record<string, string>>;
  readonly client: ConnectionRecord;
}

export interface ConnectionOptions {
  readonly mode: ProvidersMode;
  /** Used where an instance has none of its own. */
  readonly globals: Credentials;
  readonly simulated: Simulated;
  readonly fetch: Fetch;
}

export type Connect = (instance: InstanceRecord, provider: Provider) => Promise<Connection>;

/** Decides, for an instance and a provider, with whose credentials and where (spec, "Rules"). */
export function createConnect({ mode, globals, simulated, fetch }: ConnectionOptions): Connect {
  return async (instance, name) => {
    // What reads the providers' replies is loaded with the first sign-in, not with the server.
    const { DEFINITIONS } = await import("./index.ts");
    const provider = DEFINITIONS[name];
    const record = credentialsFor(instance, name, globals);
    if (record && mode !== "simulated") {
      const endpoints = { ...provider.endpoints, ...record.endpoints };
      return {
        provider,
        client_id: record.client_id,
        client_secret: record.client_secret,
        endpoints,
        loginHint: provider.loginHint,
        fetch,
      };
    }
    const { client_id, client_secret } = record ?? simulated.client;
    const endpoints = { ...provider.endpoints, ...simulated.endpoints(name) };
    return { provider, client_id, client_secret, endpoints, loginHint: "login_hint", fetch: simulated.fetch };
  };
}

/** For people: whether a provider is asked for real, for all instances alike or not. */
export function describeProvider(
  provider: Provider,
  instances: readonly InstanceRecord[],
  globals: Credentials,
  mode: ProvidersMode,
): "real" | "simulated" | "by instance" {
  const isReal = (instance: InstanceRecord): boolean =>
    mode !== "simulated" && credentialsFor(instance, provider, globals) !== undefined;
  return instances.every(isReal) ? "real" : instances.some(isReal) ? "by instance" : "simulated";
}

/**
 * A simulated provider lets anybody be anybody, so it stays on one's own machine unless it is asked for by name.
 * @throws {ServeError} naming what has no credentials
 */
export function checkCredentials(
  instances: readonly InstanceRecord[],
  globals: Credentials,
  mode: ProvidersMode,
  isLocal: boolean,
): void {
  if (mode === "simulated" || (mode === "auto" && isLocal)) return;
  const missing = instances.flatMap((instance) =>
    PROVIDERS.filter((provider) => !credentialsFor(instance, provider, globals)).map(
      (provider) => `${instance.name}: ${provider}`,
    ),
  );
  if (missing.length === 0) return;
  const why =
    mode === "real"
      ? "--providers real"
      : "This server can be reached from elsewhere, where a simulated provider would let anybody sign in as anybody";
  const instead = mode === "real" ? "" : " If that is what you want, say --providers simulated.";
  throw new ServeError(
    `${why}: there are no credentials for ${missing.join(", ")}. Give them in SVC_GOOGLE_CLIENT_ID and SVC_GOOGLE_CLIENT_SECRET (and so on), in svc.config.json, or with the instance.${instead}`,
  );
}

function credentialsFor(
  instance: InstanceRecord,
  provider: Provider,
  globals: Credentials,
): ConnectionRecord | undefined {
  return instance.connections[provider] ?? globals[provider];
}
