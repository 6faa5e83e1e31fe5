import { compactVerify, decodeJwt, decodeProtectedHeader, errors } from "jose";
import { claimsFault, isPlainHeader, isTokenShaped, type TokenClaims } from "../wire/claims.ts";
import { ERRORS } from "../wire/errors.ts";
import { TokenError } from "./errors.ts";

export { TokenError } from "./errors.ts";
export type { TokenClaims } from "../wire/claims.ts";

export interface VerifyTokenOptions {
  /** The instance's secret key, which also signs its tokens; several while one is being replaced. */
  readonly secretKey: string | readonly string[];
  /** Only tokens of this instance. */
  readonly instanceId?: string;
  readonly now?: () => Date;
}

export type TokenResult = { ok: true; claims: TokenClaims } | { ok: false; error: TokenError };

/**
 * Verifies a token with the secret key alone: no request is made, so a user deleted since is not noticed.
 * @throws {TokenError} `token_invalid`, `token_invalid_signature`, `token_wrong_instance` or `token_expired`
 */
export async function verifyToken(
  token: string,
  { secretKey, instanceId, now = () => new Date() }: VerifyTokenOptions,
): Promise<TokenClaims> {
  if (!isTokenShaped(token)) throw failure("token_invalid");
  const claims = await verifySignature(token, [secretKey].flat());
  if (instanceId !== undefined && typeof claims.instance_id === "string" && claims.instance_id !== instanceId)
    throw failure("token_wrong_instance");
  const fault = claimsFault(claims, Math.floor(now().getTime() / 1000));
  if (fault) throw failure(fault);
  return claims as TokenClaims;
}

/** The same as a value, where an invalid token is nothing out of the ordinary. */
export async function checkToken(token: string, options: VerifyTokenOptions): Promise<TokenResult> {
  try {
    return { ok: true, claims: await verifyToken(token, options) };
  } catch (error) {
    if (error instanceof TokenError) return { ok: false, error };
    throw error;
  }
}

/** What a token says, whether or not it is true. @throws {TokenError} `token_invalid` */
export function decodeToken(token: string): {
  header: Record<string, unknown>;
  claims: Partial<TokenClaims>;
  verified: false;
} {
  try {
    return {
      header: { ...decodeProtectedHeader(token) },
      claims: decodeJwt<Partial<TokenClaims>>(token),
      verified: false,
    };
  } catch {
    throw failure("token_invalid");
  }
}

async function verifySignature(token: string, keys: readonly string[]): Promise<Partial<TokenClaims>> {
  for (const key of keys) {
    if (key.length < 32) throw new TypeError("secretKey is too short to be one");
    try {
      const { protectedHeader } = await compactVerify(token, new TextEncoder().encode(key), { algorithms: ["HS256"] });
      if (!isPlainHeader(protectedHeader)) throw failure("token_invalid");
      return decodeJwt<Partial<TokenClaims>>(token);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw failure("token_invalid");
    }
  }
  throw failure("token_invalid_signature");
}

function failure(
  code: "token_invalid" | "token_invalid_signature" | "token_wrong_instance" | "token_expired",
): TokenError {
  return new TokenError(code, ERRORS[code].error);
}
