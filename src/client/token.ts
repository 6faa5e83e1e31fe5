import { decodeJwt, decodeProtectedHeader } from "jose";
import { claimsProblem, type TokenClaims } from "../wire/claims.ts";
import { ERRORS } from "../wire/errors.ts";
import type { Now } from "../wire/now.ts";
import { codeOfProblem, importKey, verifySignature, type SigningKey, type TokenProblem } from "../wire/token.ts";
import { TokenError } from "./errors.ts";
import { checkSigningKey } from "./keys.ts";
import { checkFunctions, checkNames, type Names } from "./known-options.ts";

export type { TokenClaims } from "../wire/claims.ts";

const MAX_KEYS = 32;

export interface VerifyTokenOptions {
  /** The instance's secret key, which also signs its tokens; several while one is being replaced. */
  readonly secretKey: string | readonly string[];
  /** Only tokens of this instance. Default: of any that the key signs for. */
  readonly instanceId?: string | undefined;
  /** Only tokens of this application. Default: of any. */
  readonly appId?: string | undefined;
  /** Replaces the clock in tests. */
  readonly now?: Now | undefined;
}

export const VERIFY_OPTIONS: Names<VerifyTokenOptions> = { secretKey: true, instanceId: true, appId: true, now: true };

export type TokenResult = { ok: true; claims: TokenClaims } | { ok: false; error: TokenError };

/**
 * Verifies a token with the secret key alone. No request is sent, so a deleted user is not noticed. A valid token is
 * signed with HS256, issued by the service for one hour, and not expired. None of this can be configured. Whitespace around
 * the token, such as a file's last line break, does not count.
 * @throws {TokenError} `token_invalid`, `token_invalid_signature`, `token_wrong_instance` or `token_expired`, as the
 * service itself would answer
 * @throws {ConfigError} for an invalid secret key, and for unknown or missing options
 */
export async function verifyToken(token: string, options: VerifyTokenOptions): Promise<TokenClaims> {
  checkVerifyOptions("verifyToken", options, VERIFY_OPTIONS);
  const result = await verdictOf(trimmed(token), options);
  if (!result.ok) throw result.error;
  return result.claims;
}

/** Like `verifyToken`, but returns what is wrong with the token instead of throwing it. @throws {ConfigError} */
export async function checkToken(token: string, options: VerifyTokenOptions): Promise<TokenResult> {
  checkVerifyOptions("checkToken", options, VERIFY_OPTIONS);
  return verdictOf(trimmed(token), options);
}

/** @throws {ConfigError} */
export function checkVerifyOptions<Options extends VerifyTokenOptions>(
  of: string,
  options: Options,
  known: Names<Options>,
): void {
  checkNames(of, options, known);
  checkFunctions(options, "now");
}

/** Judges a token exactly as it is. @throws {ConfigError} for an invalid secret key */
export async function verdictOf(token: string, options: VerifyTokenOptions): Promise<TokenResult> {
  const { instanceId, appId, now = Date.now } = options;
  const keys = await Promise.all(secretKeysOf(options).map(imported));
  const verified = await verifySignature(token, keys, instanceId);
  if ("problem" in verified) return { ok: false, error: failure(verified.problem) };
  const { claims } = verified;
  const problem = claimsProblem(claims, Math.floor(Number(now()) / 1000));
  if (problem) return { ok: false, error: failure(problem) };
  if (appId !== undefined && claims.app_id !== appId) return { ok: false, error: failure("claims") };
  return { ok: true, claims: claims as TokenClaims };
}

/** A program without types may pass anything. */
function trimmed(token: string): string {
  return typeof token === "string" ? token.trim() : token;
}

/** Reads a token without verifying it. @throws {TokenError} `token_invalid` */
export function decodeToken(token: string): {
  header: Record<string, unknown>;
  claims: Partial<TokenClaims>;
  verified: false;
} {
  try {
    return {
      header: { ...decodeProtectedHeader(trimmed(token)) },
      claims: decodeJwt<Partial<TokenClaims>>(trimmed(token)),
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
