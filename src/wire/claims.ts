import type { TokenProvider } from "./providers.ts";
import type { ErrorCode } from "./errors.ts";
import { relativeTime } from "../text/time.ts";

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

export type ClaimsProblem = Extract<
  TokenProblem,
  "instance" | "expired" | "issuer" | "claims" | "lifetime" | "not_yet_valid"
>;

/** What is wrong with verified claims at the time `now` (Unix seconds), or undefined. */
export function claimsProblem(claims: Partial<TokenClaims>, now: number): ClaimsProblem | undefined {
  const { iss, sub, instance_id, iat, exp, nbf } = claims as Partial<TokenClaims> & { nbf?: unknown };
  if (instance_id === undefined) return "instance";
  if (typeof exp === "number" && exp <= now) return "expired";
  if (iss !== undefined && iss !== ISSUER) return "issuer";
  if (typeof sub !== "string" || typeof instance_id !== "string") return "claims";
  if (nbf !== undefined && typeof nbf !== "number") return "claims";
  if (!Number.isSafeInteger(exp) || (iat !== undefined && !Number.isSafeInteger(iat))) return "claims";
  const lifetime = exp! - (iat ?? now);
  if (lifetime <= 0 || lifetime > TOKEN_LIFETIME_SECONDS) return "lifetime";
  if (iat !== undefined && iat > now + CLOCK_SKEW_SECONDS) return "not_yet_valid";
  if (nbf !== undefined && nbf > now) return "not_yet_valid";
  return undefined;
}

/** Whether `typ` names a JWT. A type is a media type, whose case makes no difference (RFC 7515, 4.1.9; RFC 2045, 5.1). */
export function isTokenType(typ: unknown): boolean {
  return typeof typ === "string" && typ.toUpperCase() === "JWT";
}

/** Why a token is not valid, in the order in which it is found out. */
export const TOKEN_PROBLEMS = [
  "malformed",
  "instance",
  "signature",
  "expired",
  "algorithm",
  "header",
  "issuer",
  "claims",
  "lifetime",
  "not_yet_valid",
] as const;
export type TokenProblem = (typeof TOKEN_PROBLEMS)[number];

/** Names the problem of a token that the service refused: the body has the specification's sentence alone. */
export const REASON_HEADER = "svc-reason";

const CODES = {
  malformed: "token_invalid_signature",
  signature: "token_invalid_signature",
  instance: "token_wrong_instance",
  expired: "token_expired",
} as const satisfies Partial<Record<TokenProblem, ErrorCode>>;

export type TokenErrorCode = (typeof CODES)[keyof typeof CODES] | "token_invalid";

export function codeOfProblem(problem: TokenProblem): TokenErrorCode {
  return problem in CODES ? CODES[problem as keyof typeof CODES] : "token_invalid";
}

export function isTokenProblem(value: unknown): value is TokenProblem {
  return (TOKEN_PROBLEMS as readonly unknown[]).includes(value);
}

type Part = Readonly<Record<string, unknown>>;

const REQUIRED = ["sub", "instance_id", "exp"];

/** Why the header of a token is not accepted, in a sentence, or undefined. */
export function explainHeader({ alg, typ = "JWT", crit }: Part): string | undefined {
  if (alg !== "HS256") return `Its algorithm is ${inText(alg)}; only HS256 is accepted.`;
  if (!isTokenType(typ)) return `Its type is ${inText(typ)}, not JWT.`;
  return crit === undefined ? undefined : "Its header asks for extensions (crit), which are not supported.";
}

/**
 * What `claimsProblem` found, in a sentence.
 * @param now of the clock that decided
 */
export function explainClaims(problem: ClaimsProblem, claims: Part, now: Date): string {
  const { iss, iat, exp, nbf } = claims;
  const missing = REQUIRED.find((name) => claims[name] === undefined);
  switch (problem) {
    case "instance":
      return "It has no instance_id.";
    case "issuer":
      return `Its issuer is ${inText(iss)}, not ${ISSUER}.`;
    case "claims":
      if (missing !== undefined) return `It has no ${missing}.`;
      return "A claim has another type than it must have: sub and instance_id are text, iat and exp whole seconds, nbf a number.";
    case "lifetime":
      return iat === undefined
        ? `It has no iat, and expires ${timeInWords(exp, now)}: the maximum is ${TOKEN_LIFETIME_SECONDS} seconds from now.`
        : `Its lifetime is ${Number(exp) - Number(iat)} seconds; it must be from 1 to ${TOKEN_LIFETIME_SECONDS}.`;
    case "not_yet_valid":
      return Number(iat) * 1000 > now.getTime()
        ? `It was issued in the future: ${timeInWords(iat, now)}. Check the clocks.`
        : `It is not valid yet: its nbf is ${timeInWords(nbf, now)}.`;
    case "expired":
      return `It expired ${timeInWords(exp, now)}.`;
  }
}

/** `3 minutes ago (2026-06-01T12:00:00Z)` for Unix seconds; what is not a time is shown as it is. */
export function timeInWords(seconds: unknown, now: Date): string {
  const date = new Date(typeof seconds === "number" ? seconds * 1000 : Number.NaN);
  if (Number.isNaN(date.getTime())) return inText(seconds);
  return `${relativeTime(date, now)} (${date.toISOString().replace(".000Z", "Z")})`;
}

function inText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
}

/** A token that is good, and one of each way to be wrong. */
export const TOKEN_KINDS = [
  "valid",
  "expired",
  "issued_in_future",
  "wrong_signature",
  "wrong_issuer",
  "wrong_lifetime",
  "wrong_algorithm",
  "alg_none",
  "missing_claim",
  "other_instance",
  "deleted_user",
  "malformed",
] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** What a caller chooses at random, so that no earlier answer proves anything. */
export const CLOCK_NONCE = /^[\w-]{22,64}$/;

/**
 * What the service signs with an instance's secret key (HMAC-SHA-256) to prove its time. It has spaces, as no token's signed
 * part can have.
 */
export function clockStatement(nonce: string, now: string): string {
  return `svc clock ${nonce} ${now}`;
}
