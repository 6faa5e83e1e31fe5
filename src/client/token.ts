import { compactVerify, decodeJwt, decodeProtectedHeader, errors } from "jose";
import { claimsProblem, isPlainHeader, isTokenShaped, type TokenClaims } from "../wire/claims.ts";
import { ERRORS } from "../wire/errors.ts";
import { SECRET_KEY_PREFIX } from "../wire/names.ts";
import { ConfigError, TokenError, type TokenReason } from "./errors.ts";

export type { TokenClaims } from "../wire/claims.ts";

const ALGORITHM = "HS256";
const MIN_KEY_LENGTH = 32;
const MAX_KEYS = 32;

export interface VerifyTokenOptions {
  /** The instance's secret key, which also signs its tokens; several while one is being replaced. */
  readonly secretKey: string | readonly string[];
  /** Only tokens of this instance. */
  readonly instanceId?: string | undefined;
  /** Only tokens of this application. */
  readonly appId?: string | undefined;
  readonly now?: (() => Date) | undefined;
}

export type TokenResult = { ok: true; claims: TokenClaims } | { ok: false; error: TokenError };

/**
 * Verifies a token with the secret key alone: no request is made, so a user deleted since is not noticed. What a good
 * token is can't be chosen: HS256, issued by the service, for an hour, which is not over.
 * @throws {TokenError} `token_invalid`, `token_invalid_signature`, `token_wrong_instance` or `token_expired`
 * @throws {ConfigError} for a secret key that can't be one
 */
export async function verifyToken(token: string, options: VerifyTokenOptions): Promise<TokenClaims> {
  const { instanceId, appId, now = () => new Date() } = options;
  const keys = secretKeysOf(options);
  if (!isTokenShaped(token)) throw failure("malformed");
  const claims = await verifySignature(token, keys);
  if (instanceId !== undefined && typeof claims.instance_id === "string" && claims.instance_id !== instanceId)
    throw failure("instance");
  const problem = claimsProblem(claims, Math.floor(now().getTime() / 1000));
  if (problem) throw failure(problem);
  if (appId !== undefined && claims.app_id !== appId) throw failure("claims");
  return claims as TokenClaims;
}

/** The same as a value, where an invalid token is nothing out of the ordinary. @throws {ConfigError} */
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
    throw failure("malformed");
  }
}

/** The keys in the options, as a list. @throws {ConfigError} where one could be guessed, or is public */
export function secretKeysOf({ secretKey }: Pick<VerifyTokenOptions, "secretKey">): readonly string[] {
  const keys: readonly unknown[] = [secretKey].flat();
  const areGood = keys.every(
    (key) => typeof key === "string" && key.startsWith(SECRET_KEY_PREFIX) && key.length >= MIN_KEY_LENGTH,
  );
  if (areGood && keys.length > 0) return keys as readonly string[];
  throw new ConfigError(
    `secretKey must begin with ${SECRET_KEY_PREFIX} and have at least ${MIN_KEY_LENGTH} characters`,
  );
}

async function verifySignature(token: string, keys: readonly string[]): Promise<Partial<TokenClaims>> {
  for (const key of keys) {
    try {
      const { protectedHeader } = await compactVerify(token, await imported(key), { algorithms: [ALGORITHM] });
      if (!isPlainHeader(protectedHeader)) throw failure("malformed");
      return decodeJwt<Partial<TokenClaims>>(token);
    } catch (error) {
      if (error instanceof errors.JOSEAlgNotAllowed) throw failure("algorithm");
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw failure("malformed");
    }
  }
  throw failure("signature");
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
const importedKeys = new Map<string, Promise<Key>>();

/** Importing a key costs more than using it. */
function imported(key: string): Promise<Key> {
  const known = importedKeys.get(key);
  if (known) return known;
  if (importedKeys.size >= MAX_KEYS) importedKeys.clear();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const importing = crypto.subtle.importKey("raw", new TextEncoder().encode(key), algorithm, false, ["verify"]);
  importedKeys.set(key, importing);
  return importing;
}

const CODES = {
  signature: "token_invalid_signature",
  instance: "token_wrong_instance",
  expired: "token_expired",
} as const;

function failure(reason: TokenReason): TokenError {
  const code = reason in CODES ? CODES[reason as keyof typeof CODES] : "token_invalid";
  return new TokenError(code, ERRORS[code].error, { reason });
}
