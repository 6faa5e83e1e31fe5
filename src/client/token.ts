import { decodeJwt, decodeProtectedHeader } from "jose";
import { claimsProblem, type TokenClaims } from "../wire/claims.ts";
import { ERRORS } from "../wire/errors.ts";
import type { Now } from "../wire/now.ts";
import { codeOfProblem, importKey, verifySignature, type SigningKey, type TokenProblem } from "../wire/token.ts";
import { TokenError } from "./errors.ts";
import { checkSigningKey } from "./keys.ts";

export type { TokenClaims } from "../wire/claims.ts";

const MAX_KEYS = 32;

export interface VerifyTokenOptions {
  /** The instance's secret key, which also signs its tokens; several while one is being replaced. */
  readonly secretKey: string | readonly string[];
  /** Only tokens of this instance. */
  readonly instanceId?: string | undefined;
  /** Only tokens of this application. */
  readonly appId?: string | undefined;
  /** Replaces the clock in tests. */
  readonly now?: Now | undefined;
}

export type TokenResult = { ok: true; claims: TokenClaims } | { ok: false; error: TokenError };

/**
 * Verifies a token with the secret key alone. No request is sent, so a deleted user is not noticed. A valid token is
 * signed with HS256, issued by the service for one hour, and not expired. None of this can be configured.
 * @throws {TokenError} `token_invalid`, `token_invalid_signature`, `token_wrong_instance` or `token_expired`, as the
 * service itself would answer
 * @throws {ConfigError} for an invalid secret key
 */
export async function verifyToken(token: string, options: VerifyTokenOptions): Promise<TokenClaims> {
  const { instanceId, appId, now = Date.now } = options;
  const keys = await Promise.all(secretKeysOf(options).map(imported));
  const verified = await verifySignature(token, keys, instanceId);
  if ("problem" in verified) throw failure(verified.problem);
  const { claims } = verified;
  const problem = claimsProblem(claims, Math.floor(Number(now()) / 1000));
  if (problem) throw failure(problem);
  if (appId !== undefined && claims.app_id !== appId) throw failure("claims");
  return claims as TokenClaims;
}

/** Like `verifyToken`, but returns what is wrong with the token instead of throwing it. @throws {ConfigError} */
export async function checkToken(token: string, options: VerifyTokenOptions): Promise<TokenResult> {
  try {
    return { ok: true, claims: await verifyToken(token, options) };
  } catch (error) {
    if (error instanceof TokenError) return { ok: false, error };
    throw error;
  }
}

/** Reads a token without verifying it. @throws {TokenError} `token_invalid` */
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
    throw failure("malformed");
  }
}

/** The keys in the options, as a list. @throws {ConfigError} for one that can't be a secret key, or none */
export function secretKeysOf({ secretKey }: Pick<VerifyTokenOptions, "secretKey">): readonly string[] {
  const keys = [secretKey].flat();
  for (const key of keys.length > 0 ? keys : [""]) checkSigningKey("secretKey", key);
  return keys;
}

const importedKeys = new Map<string, Promise<SigningKey>>();

function imported(key: string): Promise<SigningKey> {
  const known = importedKeys.get(key);
  if (known) return known;
  if (importedKeys.size >= MAX_KEYS) importedKeys.clear();
  const importing = importKey(key);
  importedKeys.set(key, importing);
  return importing;
}

function failure(reason: TokenProblem): TokenError {
  const code = codeOfProblem(reason);
  return new TokenError(code, ERRORS[code].error, { reason });
}
