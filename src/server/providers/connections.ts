import type { Fetch } from "../../wire/fetch.ts";
import type { Provider } from "../../wire/names.ts";
import { ApiError } from "../errors.ts";
import type { ConnectionRecord, InstanceRecord } from "../store/records.ts";
import type { DEFINITIONS as Definitions } from "./index.ts";
import { credentialVariables, type Credentials } from "./credentials.ts";
import type { Offers } from "./offers.ts";
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

/** The stand-in for a provider: where its endpoints are, and the client it knows without being told. */
export interface Simulated {
  readonly fetch: Fetch;
  endpoints(provider: Provider): ProviderDefinition["endpoints"];
  readonly client: ConnectionRecord;
  introduce(application: Application, state: string): string;
  timeoutOf(code: string): number | undefined;
}

export interface ConnectionOptions {
  readonly offers: Offers;
  /** Its endpoints replace the providers' own. */
  readonly globals: Credentials;
  readonly simulated: Simulated;
  readonly fetch: Fetch;
}

/** @throws {ApiError} `provider_not_configured` where the instance does not offer the provider */
export type Connect = (instance: InstanceRecord, provider: Provider) => Promise<Connection>;

/** Says, for an instance and a provider, with whose credentials and where a user signs in. */
export function createConnect({ offers, globals, simulated, fetch }: ConnectionOptions): Connect {
  let definitions: Promise<{ DEFINITIONS: typeof Definitions }> | undefined;
  return async (instance, name) => {
    const { in_force, credentials } = offers.of(instance, name);
    if (in_force === "off") throw notConfigured(instance, name, offers);
    // What reads the providers' replies is loaded with the first sign-in, not with the server.
    const { DEFINITIONS } = await (definitions ??= import("./index.ts"));
    const provider = DEFINITIONS[name];
    const { client_id, client_secret } = credentials ?? simulated.client;
    const isReal = in_force !== "simulated";
    return {
      provider,
      client_id,
      client_secret,
      endpoints: isReal
        ? withDefaults(provider.endpoints, { ...globals[name]?.endpoints, ...credentials?.endpoints })
        : simulated.endpoints(name),
      loginHint: isReal ? provider.loginHint : "login_hint",
      fetch: isReal ? fetch : simulated.fetch,
      introduce: isReal ? undefined : simulated.introduce,
      timeoutOf: isReal ? undefined : simulated.timeoutOf,
    };
  };
}

function notConfigured(instance: InstanceRecord, provider: Provider, { providersOf }: Offers): ApiError {
  const others = providersOf(instance);
  const instead = others.length > 0 ? `Use ${others.join(" or ")}, or set` : "Set";
  const variables = credentialVariables(provider).join(" and ");
  return new ApiError(
    "provider_not_configured",
    `${instance.name} has no credentials for ${provider}. ${instead} ${variables} on the server`,
  );
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
