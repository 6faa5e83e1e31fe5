import { PROVIDER_TITLES } from "../../wire/providers.ts";
import { SignInError } from "../errors.ts";
import type { Connection } from "../providers/connections.ts";
import { DEFINITIONS } from "../providers/index.ts";

/**
 * A server that replaces a provider's could send the user on to the provider itself, for its code of another client, and
 * get it in the exchange (mix-up; RFC 9207, 2.4). So could one that stands in for a provider that doesn't name itself.
 * @throws {SignInError} if the redirect comes from a provider and the connection leads elsewhere, or the other way round
 */
export function checkIssuer({ provider, endpoints }: Connection, iss: string | undefined): void {
  if (iss === undefined) return;
  const isOwn = new URL(endpoints.authorize).origin === new URL(provider.endpoints.authorize).origin;
  const issuer = isOwn ? provider.issuer : undefined;
  const isOfAnother = Object.values(DEFINITIONS).some((definition) => definition.issuer === iss);
  const isRight = issuer === undefined ? !isOfAnother : iss === issuer;
  if (!isRight)
    throw new SignInError(
      "server_error",
      `The callback of ${PROVIDER_TITLES[provider.name]} came from another issuer. Check the connection's authorize endpoint.`,
    );
}
