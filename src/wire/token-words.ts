import type { ClaimsProblem } from "./claims.ts";
import { ISSUER, TOKEN_LIFETIME_SECONDS } from "./names.ts";
import { relativeTime } from "./relative-time.ts";

type Part = Readonly<Record<string, unknown>>;

const REQUIRED = ["sub", "instance_id", "iat", "exp"];

/** Why the header of a token is not accepted, in a sentence, or undefined. */
export function explainHeader({ alg, typ = "JWT", crit }: Part): string | undefined {
  if (alg !== "HS256") return `Its algorithm is ${String(alg)}; only HS256 is accepted.`;
  if (typ !== "JWT") return `Its type is ${String(typ)}, not JWT.`;
  return crit === undefined ? undefined : "Its header asks for extensions (crit), which are not supported.";
}

/**
 * What `claimsProblem` found, in a sentence.
 * @param now of the clock that decided
 */
export function explainClaims(problem: ClaimsProblem, claims: Part, now: Date): string {
  const { iss, sub, iat, exp, nbf } = claims;
  const missing = REQUIRED.find((name) => claims[name] === undefined);
  switch (problem) {
    case "issuer":
      return iss === undefined
        ? "It has no iss."
        : `Its issuer is ${typeof iss === "string" ? iss : JSON.stringify(iss)}, not ${ISSUER}.`;
    case "claims":
      if (missing !== undefined) return `It has no ${missing}.`;
      return typeof sub === "string" && [iat, exp].every(Number.isSafeInteger)
        ? `Its sub is ${sub}, which is not a user id.`
        : "A claim has another type than it must have: sub and instance_id are text, iat and exp whole seconds.";
    case "lifetime":
      return `Its lifetime is ${Number(exp) - Number(iat)} seconds; tokens of the service have ${TOKEN_LIFETIME_SECONDS}.`;
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
