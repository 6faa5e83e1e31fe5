import { createHash } from "node:crypto";
import type { Application, Connection } from "../providers/connections.ts";
import { randomBytes } from "../random.ts";
import { withParameters } from "./redirect-uri.ts";

/** 64 hexadecimal characters (spec, "Limits"). */
export function generateState(): string {
  return randomBytes(32).toString("hex");
}

/** RFC 7636, 4.1: 32 random bytes. */
export function generateCodeVerifier(): string {
  return randomBytes(32).toString("base64url");
}

/** RFC 7636, 4.2: S256. */
export function codeChallenge(code_verifier: string): string {
  return createHash("sha256").update(code_verifier).digest("base64url");
}

export interface AuthorizationParameters {
  /** Our callback URL. */
  readonly redirect_uri: string;
  readonly state: string;
  readonly code_verifier: string | null;
  readonly login_hint: string | undefined;
  /** Shown by the account picker of a simulated provider; a real one knows its clients. */
  readonly application: Application;
}

/** RFC 6749, 4.1.1. */
export function authorizationUrl(connection: Connection, parameters: AuthorizationParameters): string {
  const { client_id, endpoints, loginHint, simulation, provider } = connection;
  const { redirect_uri, state, code_verifier, login_hint, application } = parameters;
  return withParameters(endpoints.authorize, {
    response_type: "code",
    client_id,
    redirect_uri,
    scope: provider.scopes.join(" "),
    state,
    ...(code_verifier !== null && { code_challenge: codeChallenge(code_verifier), code_challenge_method: "S256" }),
    ...(login_hint !== undefined && loginHint !== undefined && { [loginHint]: login_hint }),
    ...(simulation && { application: simulation.sealApplication(application, state) }),
  });
}
