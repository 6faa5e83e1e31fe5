import { createHash } from "node:crypto";
import type { Connection } from "./connections.ts";
import { randomBytes } from "../random.ts";
import type { StateRecord } from "../store/records.ts";
import { PROVIDER_TITLES } from "../../wire/providers.ts";
import { DEFINITIONS } from "./index.ts";

/** RFC 7636, 4.1: 32 random bytes. */
export function generateCodeVerifier(): string {
  return randomBytes(32).toString("base64url");
}

/** RFC 7636, 4.2: S256. */
export function codeChallenge(code_verifier: string): string {
  return createHash("sha256").update(code_verifier).digest("base64url");
}

interface AuthorizationParameters extends Pick<StateRecord, "state" | "redirect_uri" | "code_verifier"> {
  readonly login_hint: string | undefined;
}

/** RFC 6749, 4.1.1. @param sent `redirect_uri`: our callback URL */
export function authorizationRequest(
  { client_id, loginHint, provider }: Connection,
  { redirect_uri, state, code_verifier, login_hint }: AuthorizationParameters,
): Record<string, string> {
  return {
    response_type: "code",
    client_id,
    redirect_uri,
    scope: provider.scopes.join(" "),
    state,
    ...(code_verifier !== null && { code_challenge: codeChallenge(code_verifier), code_challenge_method: "S256" }),
    ...(login_hint !== undefined && loginHint !== undefined && { [loginHint]: login_hint }),
  };
}

/**
 * A server that replaces a provider's could send the user on to the provider itself, for its code of another client, and
 * get it in the exchange (mix-up; RFC 9207, 2.4). So could one that stands in for a provider that doesn't name itself.
 * @returns what is wrong if the redirect comes from a provider and the connection leads elsewhere, or the other way round
 */
export function issuerFault({ provider, endpoints }: Connection, iss: string | undefined): string | undefined {
  if (iss === undefined) return undefined;
  const isOwn = new URL(endpoints.authorize).origin === new URL(provider.endpoints.authorize).origin;
  const issuer = isOwn ? provider.issuer : undefined;
  const isOfAnother = Object.values(DEFINITIONS).some((definition) => definition.issuer === iss);
  if (issuer === undefined ? !isOfAnother : iss === issuer) return undefined;
  return `The callback of ${PROVIDER_TITLES[provider.name]} came from another issuer. Check the connection's authorize endpoint.`;
}
