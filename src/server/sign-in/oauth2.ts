import { createHash } from "node:crypto";
import type { Application, Connection } from "../providers/connections.ts";
import { randomBytes } from "../random.ts";

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

export interface AuthorizationRequest {
  /** Our address, which the provider sends the browser back to. */
  readonly redirect_uri: string;
  readonly state: string;
  readonly code_verifier: string | null;
  readonly login_hint: string | undefined;
  /** For the account picker of a simulated provider; a real one knows its clients. */
  readonly application: Application;
}

/** RFC 6749, 4.1.1. */
export function authorizationUrl(connection: Connection, request: AuthorizationRequest): string {
  const url = new URL(connection.endpoints.authorize);
  // Set in the address itself, each would have all of it written again.
  const query = new URLSearchParams(url.search);
  query.set("response_type", "code");
  query.set("client_id", connection.client_id);
  query.set("redirect_uri", request.redirect_uri);
  query.set("scope", connection.provider.scopes.join(" "));
  query.set("state", request.state);
  if (request.code_verifier !== null) {
    query.set("code_challenge", codeChallenge(request.code_verifier));
    query.set("code_challenge_method", "S256");
  }
  if (request.login_hint !== undefined && connection.loginHint !== undefined) {
    query.set(connection.loginHint, request.login_hint);
  }
  if (connection.introduce) query.set("application", connection.introduce(request.application, request.state));
  url.search = query.toString();
  return url.href;
}
