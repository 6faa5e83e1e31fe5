import { ISSUER, TOKEN_LIFETIME_SECONDS, isUuid, type TokenProvider } from "./names.ts";

/** The claims of a token (with RFC 7519's names if it has one); `iat` and `exp` are Unix seconds. */
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

/** How far `iat` may lie in the future, because two servers' clocks differ. `exp` has no tolerance. */
export const CLOCK_SKEW_SECONDS = 60;

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
