import { isTokenType, type ClaimsProblem, ISSUER, TOKEN_LIFETIME_SECONDS } from "./claims.ts";
import { relativeTime } from "../text/relative-time.ts";

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
    case "issuer":
      return `Its issuer is ${inText(iss)}, not ${ISSUER}.`;
    case "claims":
      if (missing !== undefined) return `It has no ${missing}.`;
      return "A claim has another type than it must have: sub and instance_id are text, iat and exp whole seconds.";
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
  if (Number.isNaN(date.getTime())) return String(seconds);
  return `${relativeTime(date, now)} (${date.toISOString().replace(".000Z", "Z")})`;
}

function inText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
