import {
  claimsProblem,
  type TokenClaims,
  MAX_TOKEN_BYTES,
  explainClaims,
  explainHeader,
  timeInWords,
} from "../../../wire/claims.ts";
import { credentialKind } from "../../../wire/ids.ts";
import { counted } from "../../output/text.ts";

/** Of 32 bytes in base64url. */
const SIGNATURE_LENGTH = 43;

const IN_PIECES = "It contains a space or a line break. Check that it was copied in one piece.";

/** A token as it was read, not verified. */
export interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Partial<TokenClaims> & { readonly nbf?: unknown };
}

/**
 * The reason for a verdict, in a sentence. It repeats claims that are not verified.
 * @param decoded undefined if the token could not be read
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
      return `It is signed and has not expired, but user ${String(decoded?.claims.sub)} was deleted, or never existed.`;
    case "token_invalid":
      return decoded ? whatIsOdd(decoded, now) : whatIsBroken(token);
    default:
      return undefined;
  }
}

function whenItExpired(exp: number, now: Date): string {
  // The service's clock decides, and can be ahead: a development server's is moved by hand.
  if (exp * 1000 > now.getTime()) return `It expires ${timeInWords(exp, now)} here, but the service's clock is ahead.`;
  return explainClaims("expired", { exp }, now);
}

function whatIsBroken(token: string): string {
  const parts = token.split(".").length;
  const kind = credentialKind(token);
  if (kind !== undefined && !token.startsWith("eyJ"))
    return `It is ${kind}. A token is what your callback gets, and begins with eyJ.`;
  if (token.length > MAX_TOKEN_BYTES) return `It is longer than ${MAX_TOKEN_BYTES} characters.`;
  if (/\s/.test(token)) return IN_PIECES;
  if (parts !== 3) return `A token has three parts, separated by dots; this one has ${parts}.`;
  return "It cannot be decoded. Check that it was copied completely.";
}

function whatIsUnsigned(token: string, decoded: DecodedToken | undefined): string {
  if (/\s/.test(token)) return IN_PIECES;
  if (decoded && decoded.header["alg"] !== "HS256") return explainHeader(decoded.header)!;
  const { length } = token.slice(token.lastIndexOf(".") + 1);
  if (length !== SIGNATURE_LENGTH)
    return `Its signature has ${counted(length, "character")} instead of ${SIGNATURE_LENGTH}. Check that it was copied completely.`;
  return "It was signed with another key, or changed after it was signed.";
}

function whatIsOdd({ header, claims }: DecodedToken, now: Date): string {
  const problem = claimsProblem(claims, Math.floor(now.getTime() / 1000));
  // The service's clock decides about times, and can differ from this one.
  return (
    explainHeader(header) ??
    (problem === undefined || problem === "expired"
      ? "The service does not accept its header or its times."
      : explainClaims(problem, claims, now))
  );
}
