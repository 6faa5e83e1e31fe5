import type { TokenProvider } from "../providers.ts";
import type { TokenProblem } from "./token-problems.ts";

/** `iss` of every token. */
export const ISSUER = "svc";
export const TOKEN_LIFETIME_SECONDS = 3600;
export const MAX_TOKEN_BYTES = 8192;

/**
 * The claims of a token (with RFC 7519's names if it has one); `iat` and `exp` are Unix seconds. Tokens of a sign-in have
 * all of them. One that another program signed with the instance's key may lack those that are optional here, and of them
 * only `iss` and `iat` are checked.
 */
export interface TokenClaims {
  iss?: string;
  sub: string;
  email?: string;
  name?: string;
  avatar_url?: string;
  provider?: TokenProvider;
  instance_id: string;
  app_id?: string;
  iat?: number;
  exp: number;
}

/** How far `iat` may lie in the future, because two servers' clocks differ. `exp` has no tolerance. */
export const CLOCK_SKEW_SECONDS = 60;

/** What can be wrong with claims whose signature is right. */
export type ClaimsProblem = Extract<TokenProblem, "issuer" | "claims" | "lifetime" | "not_yet_valid" | "expired">;

/** What is wrong with verified claims at the time `now` (Unix seconds), or undefined. */
export function claimsProblem(claims: Partial<TokenClaims>, now: number): ClaimsProblem | undefined {
  const { iss, sub, instance_id, iat, exp, nbf } = claims as Partial<TokenClaims> & { nbf?: unknown };
  if (typeof exp === "number" && exp <= now) return "expired";
  if (iss !== undefined && iss !== ISSUER) return "issuer";
  if (typeof sub !== "string" || typeof instance_id !== "string") return "claims";
  if (!Number.isSafeInteger(exp) || (iat !== undefined && !Number.isSafeInteger(iat))) return "claims";
  const lifetime = exp! - (iat ?? now);
  if (lifetime <= 0 || lifetime > TOKEN_LIFETIME_SECONDS) return "lifetime";
  if (iat !== undefined && iat > now + CLOCK_SKEW_SECONDS) return "not_yet_valid";
  if (nbf !== undefined && !(typeof nbf === "number" && nbf <= now)) return "not_yet_valid";
  return undefined;
}

/** Whether `typ` names a JWT. A type is a media type, whose case makes no difference (RFC 7515, 4.1.9; RFC 2045, 5.1). */
export function isTokenType(typ: unknown): boolean {
  return typeof typ === "string" && typ.toUpperCase() === "JWT";
}
