import { CLOCK_SKEW_SECONDS, type TokenClaims } from "../../../wire/claims.ts";
import { ISSUER, isUuid, MAX_TOKEN_BYTES, TOKEN_LIFETIME_SECONDS } from "../../../wire/names.ts";
import { ago } from "./claims.ts";

/** Of 32 bytes in base64url. */
const SIGNATURE_LENGTH = 43;

/** A token as it was read, not verified. */
export interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Partial<TokenClaims> & { readonly nbf?: unknown };
}

/**
 * The reason for a verdict, in a sentence. It repeats claims that are not verified.
 * @param decoded undefined where the token could not be read
 */
export function whyNot(code: string, token: string, decoded: DecodedToken | undefined, now: Date): string | undefined {
  switch (code) {
    case "token_expired":
      return typeof decoded?.claims.exp === "number" ? whenItExpired(decoded.claims.exp, now) : undefined;
    case "token_invalid_signature":
      return whatIsUnsigned(token, decoded);
    case "token_wrong_instance":
      return `It was issued for instance ${String(decoded?.claims.instance_id)}.`;
    case "user_not_found":
      return `It is signed and has not expired, but user ${String(decoded?.claims.sub)} was deleted.`;
    case "token_invalid":
      return decoded ? whatIsOdd(decoded, now) : whatIsBroken(token);
    default:
      return undefined;
  }
}

function whenItExpired(exp: number, now: Date): string {
  // The service's clock decides, and can be ahead: a development server's is moved by hand.
  if (exp * 1000 > now.getTime()) return `It expires ${ago(exp, now)} here, but the service's clock is ahead.`;
  return `It expired ${ago(exp, now)}.`;
}

function whatIsBroken(token: string): string {
  const parts = token.split(".").length;
  if (token.length > MAX_TOKEN_BYTES) return `It is longer than ${MAX_TOKEN_BYTES} characters.`;
  if (/\s/.test(token)) return "It contains a space or a line break. Check that it was copied in one piece.";
  if (parts !== 3) return `A token has three parts, separated by dots; this one has ${parts}.`;
  return "It cannot be decoded. Check that it was copied completely.";
}

function whatIsUnsigned(token: string, decoded: DecodedToken | undefined): string {
  const alg = decoded?.header["alg"];
  if (decoded && alg !== "HS256") return `Its algorithm is ${String(alg)}; only HS256 is accepted.`;
  const { length } = token.slice(token.lastIndexOf(".") + 1);
  if (length !== SIGNATURE_LENGTH)
    return `Its signature has ${length} characters instead of ${SIGNATURE_LENGTH}. Check that it was copied completely.`;
  return "It was signed with another key, or changed after it was signed.";
}

function whatIsOdd({ header, claims }: DecodedToken, now: Date): string {
  const { iss, sub, instance_id, iat, exp, nbf } = claims;
  const time = now.getTime() / 1000;
  if (header["alg"] !== "HS256") return `Its algorithm is ${String(header["alg"])}; only HS256 is accepted.`;
  if ((header["typ"] ?? "JWT") !== "JWT") return `Its type is ${String(header["typ"])}, not JWT.`;
  if (header["crit"] !== undefined) return "Its header asks for extensions (crit), which are not supported.";
  const missing = Object.entries({ iss, sub, instance_id, iat, exp }).find(([, value]) => value === undefined);
  if (missing) return `It has no ${missing[0]}.`;
  if (iss !== ISSUER) return `Its issuer is ${String(iss)}, not ${ISSUER}.`;
  if (!isUuid(String(sub))) return `Its sub is ${String(sub)}, which is not a user id.`;
  if (Number(iat) > time + CLOCK_SKEW_SECONDS)
    return `It was issued in the future: ${ago(iat, now)}. Check the clocks.`;
  if (Number(exp) - Number(iat) !== TOKEN_LIFETIME_SECONDS)
    return `Its lifetime is ${Number(exp) - Number(iat)} seconds; tokens of the service have ${TOKEN_LIFETIME_SECONDS}.`;
  if (nbf !== undefined) return `It is not valid before ${ago(nbf, now)}.`;
  return "Its header is not one that the service writes.";
}
