import { ISSUER, MAX_TOKEN_BYTES, TOKEN_LIFETIME_SECONDS, isUuid, type TokenProvider } from "./names.ts";

/** What a token says (RFC 7519 names where it has them); `iat` and `exp` are Unix seconds. */
export interface TokenClaims {
  iss: string;
  sub: string;
  email: string;
  name: string;
  avatar_url: string;
  provider: TokenProvider;
  instance_id: string;
  app_id: string;
  iat: number;
  exp: number;
}

/** Two servers' clocks may differ by this much when a token is issued; `exp` knows no tolerance. */
export const CLOCK_SKEW_SECONDS = 60;

/** Three base64url parts, the last one exactly the 32 bytes of an HMAC-SHA-256, written the one canonical way. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;

/** Whether something has the outer form of a token that this service issues. */
export function isTokenShaped(text: unknown): text is string {
  return typeof text === "string" && text.length <= MAX_TOKEN_BYTES && TOKEN.test(text);
}

/** Whether a token's header asks for nothing that its reader would have to know (RFC 7515, 4.1.11; RFC 7797, 7). */
export function isPlainHeader({ typ = "JWT", crit }: { typ?: unknown; crit?: unknown }): boolean {
  return typ === "JWT" && crit === undefined;
}

/** What can be wrong with claims whose signature is right. */
export type ClaimsProblem = "issuer" | "claims" | "lifetime" | "not_yet_valid" | "expired";

/** What is wrong with verified claims at the time `now` (Unix seconds), or undefined. */
export function claimsProblem(claims: Partial<TokenClaims>, now: number): ClaimsProblem | undefined {
  const { iss, sub, instance_id, iat, exp, nbf } = claims as Partial<TokenClaims> & { nbf?: unknown };
  if (iss !== ISSUER) return "issuer";
  if (typeof sub !== "string" || !isUuid(sub) || typeof instance_id !== "string") return "claims";
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) return "claims";
  if (exp! - iat! !== TOKEN_LIFETIME_SECONDS) return "lifetime";
  if (iat! > now + CLOCK_SKEW_SECONDS) return "not_yet_valid";
  if (nbf !== undefined && !(typeof nbf === "number" && nbf <= now)) return "not_yet_valid";
  return exp! > now ? undefined : "expired";
}

/** The same as the service's code for it. */
export function claimsFault(claims: Partial<TokenClaims>, now: number): "token_expired" | "token_invalid" | undefined {
  const problem = claimsProblem(claims, now);
  return problem && (problem === "expired" ? "token_expired" : "token_invalid");
}
