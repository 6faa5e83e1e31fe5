import type { Fetch } from "../../wire/fetch.ts";
import { PROVIDERS, type Provider } from "../../wire/names.ts";
import { ServeError } from "../errors.ts";
import type { ConnectionRecord, InstanceRecord } from "../store/records.ts";
import type { DEFINITIONS as Definitions } from "./index.ts";
import { credentialVariables, type Credentials } from "./credentials.ts";
import type { ProviderDefinition } from "./provider.ts";

/** What the account picker of a simulated provider says of the application that asks for the sign-in. */
export interface Application {
  readonly name: string;
  /** Scheme and host that the user goes back to. */
  readonly origin: string;
  /** Whether the user must choose an account on the page, whatever `login_hint` says. */
  readonly needsClick: boolean;
}

/** All that is needed to sign a user in at a provider for one instance. */
export interface Connection {
  readonly provider: ProviderDefinition;
  readonly client_id: string;
  readonly client_secret: string;
  readonly endpoints: ProviderDefinition["endpoints"];
  readonly loginHint: string | undefined;
  readonly fetch: Fetch;
  /** Seals what the picker shows, for the authorization request of a state. Undefined: the provider is a real one. */
  readonly introduce: ((application: Application, state: string) => string) | undefined;
  /** How long the provider may take over a code, in milliseconds; undefined: as long as any other. */
  readonly timeoutOf: ((code: string) => number | undefined) | undefined;
}

/** `real`: credentials are a must. `simulated`: the simulator, always. `auto`: whichever there are credentials for. */
export type ProvidersMode = "auto" | "real" | "simulated";

/** The stand-in for a provider: where its endpoints are, and the client it knows without being told. */
export interface Simulated {
  readonly fetch: Fetch;
  endpoints(provider: Provider): ProviderDefinition["endpoints"];
  readonly client: ConnectionRecord;
  introduce(application: Application, state: string): string;
  timeoutOf(code: string): number | undefined;
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
  let definitions: Promise<{ DEFINITIONS: typeof Definitions }> | undefined;
  return async (instance, name) => {
    // What reads the providers' replies is loaded with the first sign-in, not with the server.
    const { DEFINITIONS } = await (definitions ??= import("./index.ts"));
    const provider = DEFINITIONS[name];
    const record = credentialsFor(instance, name, globals);
    const { client_id, client_secret } = record ?? simulated.client;
    const isReal = record !== undefined && mode !== "simulated";
    return {
      provider,
      client_id,
      client_secret,
      endpoints: isReal
        ? withDefaults(provider.endpoints, { ...globals[name]?.endpoints, ...record.endpoints })
        : simulated.endpoints(name),
      loginHint: isReal ? provider.loginHint : "login_hint",
      fetch: isReal ? fetch : simulated.fetch,
      introduce: isReal ? undefined : simulated.introduce,
      timeoutOf: isReal ? undefined : simulated.timeoutOf,
    };
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
 * A simulated provider lets anyone sign in as anyone, so beyond this machine it must be asked for by name.
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
    PROVIDERS.filter((provider) => !credentialsFor(instance, provider, globals)).map((provider) => ({
      instance,
      provider,
    })),
  );
  const [first] = missing;
  if (first === undefined) return;
  const why =
    mode === "real"
      ? "--providers real"
      : "This server can be reached from elsewhere, where a simulated provider would let anybody sign in as anybody";
  const instead = mode === "real" ? "" : " To simulate providers anyway, add --providers simulated.";
  const names = missing.map(({ instance, provider }) => `${instance.name}: ${provider}`);
  throw new ServeError(
    `${why}: there are no credentials for ${names.join(", ")}. Set ${credentialVariables(first.provider).join(" and ")} (and so on), or give them in svc.config.json or in the instance's connections.${instead}`,
  );
}

function credentialsFor(
  instance: InstanceRecord,
  provider: Provider,
  globals: Credentials,
): ConnectionRecord | undefined {
  return instance.connections[provider] ?? globalCredentials(provider, globals);
}

/** The credentials for all instances, where there are some. */
export function globalCredentials(provider: Provider, globals: Credentials): ConnectionRecord | undefined {
  const { client_id, client_secret } = globals[provider] ?? {};
  return client_id && client_secret ? { client_id, client_secret } : undefined;
}

/** An address that replaces another keeps the parameters of that one's query which it doesn't set itself. */
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
