import { PROVIDERS, type Provider } from "../../wire/providers.ts";
import { ServeError } from "../errors.ts";
import type { ConnectionRecord } from "../store/records.ts";

/** A provider in the server's configuration: credentials, endpoints, or both. */
export interface ProviderConfig {
  client_id?: string | undefined;
  client_secret?: string | undefined;
  /** Addresses that replace the provider's own, by endpoint name. */
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

/** The credentials for all instances; undefined if there are none. */
export function globalCredentials(provider: Provider, globals: Credentials): ConnectionRecord | undefined {
  const { client_id, client_secret } = globals[provider] ?? {};
  return client_id && client_secret ? { client_id, client_secret } : undefined;
}

/** The names of the environment variables of the client's id and secret. */
export function credentialVariables(provider: Provider): [id: string, secret: string] {
  const prefix = `SVC_${provider.toUpperCase()}_CLIENT`;
  return [`${prefix}_ID`, `${prefix}_SECRET`];
}
