import { SignInError } from "../errors.ts";
import type { Connection } from "../providers/connections.ts";

/**
 * A server that replaces the provider's could send the user on to the provider itself, for its code of another client, and
 * get it in the exchange (mix-up; RFC 9207, 2.4).
 * @throws {SignInError} if the redirect comes from the provider and the connection leads elsewhere, or the other way round
 */
export function checkIssuer({ provider, endpoints }: Connection, iss: string | undefined): void {
  if (iss === undefined || provider.issuer === undefined) return;
  const isOwn = new URL(endpoints.authorize).origin === new URL(provider.endpoints.authorize).origin;
  if (isOwn !== (iss === provider.issuer))
    throw new SignInError("server_error", `${provider.name}: the redirect came from another issuer`);
}
