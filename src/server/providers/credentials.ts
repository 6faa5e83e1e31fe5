import { PROVIDERS, type Provider } from "../../wire/names.ts";
import { ServeError } from "../errors.ts";
import type { Credentials } from "./connections.ts";

/** `SVC_GOOGLE_CLIENT_ID`, `SVC_GOOGLE_CLIENT_SECRET`, and so on. @throws {ServeError} where one of a pair is missing */
export function credentialsFromEnv(env: Readonly<Record<string, string | undefined>>): Credentials {
  const credentials: Credentials = {};
  for (const provider of PROVIDERS) {
    const [idName, secretName] = [variable(provider, "ID"), variable(provider, "SECRET")];
    const [client_id, client_secret] = [env[idName], env[secretName]];
    if (client_id && client_secret) credentials[provider] = { client_id, client_secret };
    else if (client_id || client_secret)
      throw new ServeError(
        `${client_id ? secretName : idName} is not set, and ${client_id ? idName : secretName} is. Set both, or none.`,
      );
  }
  return credentials;
}

function variable(provider: Provider, part: "ID" | "SECRET"): string {
  return `SVC_${provider.toUpperCase()}_CLIENT_${part}`;
}
