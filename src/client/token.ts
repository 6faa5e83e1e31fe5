import { decodeProtectedHeader } from "jose/decode/protected_header";
import { decodeJwt } from "jose/jwt/decode";
import { type TokenClaims, codeOfProblem, type TokenProblem } from "../wire/claims.ts";
import { ERRORS } from "../wire/errors.ts";
import { importKey, tokenProblem, verifySignature, type SigningKey } from "../wire/token.ts";
import { TokenError, missingToken, whyHeader } from "./errors.ts";
import { checkFunctions, checkNames, checkSecretKeys, timeOf, type Names, type Now } from "./options.ts";
import { timeFor } from "./service-clock.ts";

export type { TokenClaims } from "../wire/claims.ts";

const MAX_KEYS = 32;

export interface VerifyTokenOptions {
  /** The instance's secret key, which also signs its tokens; several while one is being replaced. */
  readonly secretKey: string | readonly string[];
  /**
   * Only tokens that name this instance. Without it `instance_id` must be there, and is not compared: a key signs for its own
   * instance alone, so only who has the key could make a token that names another.
   */
  readonly instanceId?: string | undefined;
  /** Only tokens of this application. Default: of any. */
  readonly appId?: string | undefined;
  /** Replaces the clock in tests. Under `svc exec` a program needs none: it follows the service's. */
  readonly now?: Now | undefined;
}

export const VERIFY_OPTIONS: Names<VerifyTokenOptions> = { secretKey: true, instanceId: true, appId: true, now: true };

export type TokenResult = { ok: true; claims: TokenClaims } | { ok: false; error: TokenError };

/**
 * Verifies a token with the secret key alone. No request is sent, so a deleted user is not noticed. A valid token is
 * signed with HS256, has a lifetime of one hour at most, and has not expired. None of this can be configured. The token is
 * taken as it is: whitespace around it makes it invalid.
 * @throws {TokenError} `token_invalid`, `token_invalid_signature`, `token_wrong_instance`, `token_expired` or
 * `missing_token`, as the service itself would answer; its `reason` is more exact
 * @throws {ConfigError} for an invalid secret key, and for unknown or missing options
 */
export async function verifyToken(token: string, options: VerifyTokenOptions): Promise<TokenClaims> {
  checkVerifyOptions("verifyToken", options, VERIFY_OPTIONS);
  const result = await resultOf(token, options);
  if (!result.ok) throw result.error;
  return result.claims;
}

/** Like `verifyToken`, but returns what is wrong with the token instead of throwing it. @throws {ConfigError} */
export async function checkToken(token: string, options: VerifyTokenOptions): Promise<TokenResult> {
  checkVerifyOptions("checkToken", options, VERIFY_OPTIONS);
  return resultOf(token, options);
}

/** A program without types may pass anything. @throws {ConfigError} */
async function resultOf(token: unknown, options: VerifyTokenOptions): Promise<TokenResult> {
  const result = await verdictOf(token, options);
  return typeof token === "string" && token !== "" ? result : { ok: false, error: missingToken() };
}

/** @throws {ConfigError} for unknown or missing options, and an invalid secret key */
export function checkVerifyOptions<Options extends VerifyTokenOptions>(
  of: string,
  options: Options,
  known: Names<Options>,
): void {
  checkNames(of, options, known);
  checkFunctions(options, "now");
  checkSecretKeys(options.secretKey);
}

/** Judges a token, by options that were checked. @throws {ConfigError} for a `now` that returns no time */
export async function verdictOf(token: unknown, options: VerifyTokenOptions): Promise<TokenResult> {
  const { secretKey, instanceId, appId, now } = options;
  const keys = await Promise.all([secretKey].flat().map(imported));
  const verified = await verifySignature(token, keys, instanceId);
  if ("problem" in verified) return { ok: false, error: failure(verified.problem, whyHeader(token)) };
  const { claims } = verified;
  const { instance_id } = claims;
  const time = now ? timeOf(now) : typeof instance_id === "string" ? await timeFor(instance_id, keys) : Date.now();
  const problem = tokenProblem(verified, Math.floor(time / 1000));
  if (problem)
    return { ok: false, error: failure(problem, problem === "not_yet_valid" ? aheadBy(claims, time) : undefined) };
  if (appId !== undefined && claims.app_id !== appId) return { ok: false, error: failure("claims") };
  return { ok: true, claims: claims as TokenClaims };
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

const importedKeys = new Map<string, Promise<SigningKey>>();

function imported(key: string): Promise<SigningKey> {
  const known = importedKeys.get(key);
  if (known) return known;
  if (importedKeys.size >= MAX_KEYS) importedKeys.clear();
  const importing = importKey(key);
  importedKeys.set(key, importing);
  return importing;
}

/** How far a token is from the future, by the clock that judged it. */
function aheadBy({ iat, nbf }: { iat?: unknown; nbf?: unknown }, time: number): string | undefined {
  const now = Math.floor(time / 1000);
  const [claim, at] = Number(iat) > now ? ["iat", Number(iat)] : ["nbf", Number(nbf)];
  if (Number.isNaN(at)) return undefined;
  return `its ${claim} is ${at - now} seconds ahead of the clock here (${new Date(now * 1000).toISOString()}). Set the clocks of the service and of this machine, or pass now in a test`;
}

function failure(reason: TokenProblem, why?: string): TokenError {
  const code = codeOfProblem(reason);
  return new TokenError(code, ERRORS[code].error, { reason, why });
}
