import * as base64url from "jose/base64url";
import * as errors from "jose/errors";
import { compactVerify } from "jose/jws/compact/verify";
import { decodeJwt } from "jose/jwt/decode";
import { claimsProblem, isTokenType, type TokenClaims, MAX_TOKEN_BYTES, type TokenProblem } from "./claims.ts";

// Its parts by their own names: all of jose takes Node as long to load as to start.

/** HMAC with SHA-256 (RFC 7518, 3.2). */
export const ALGORITHM = "HS256";

/** Three parts, of which the second is base64url. The signature decides about the first, and whatever stands in third place. */
const FORM = /^[^.]*\.[\w-]+\.[^.]*$/;
/** The 32 bytes of an HMAC-SHA-256 in their one canonical spelling: jose accepts others. */
const SIGNATURE = /\.[\w-]{42}[AEIMQUYcgkosw048]$/;

export type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

type HeaderProblem = Extract<TokenProblem, "algorithm" | "header">;

/** A token whose signature is right, whatever the time. */
export interface SignedToken {
  readonly claims: Partial<TokenClaims>;
  readonly header: HeaderProblem | undefined;
}

/** Imports the whole secret key, prefix included. Importing costs more than verifying: keep the result. */
export function importKey(secretKey: string, usages: ("sign" | "verify")[] = ["verify"]): Promise<SigningKey> {
  const bytes = new TextEncoder().encode(secretKey);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, usages);
}

/**
 * A token that one of the keys signed, for `tokenProblem` to judge, or what is wrong with it, in this order: its form, the
 * instance it names, its signature.
 * @param instanceId when given, the token must name this instance
 */
export async function verifySignature(
  token: unknown,
  keys: readonly SigningKey[],
  instanceId?: string,
): Promise<SignedToken | { problem: TokenProblem }> {
  const claims = readClaims(token);
  if (!claims) return { problem: "malformed" };
  const { instance_id } = claims;
  if (instanceId !== undefined && typeof instance_id === "string" && instance_id !== instanceId)
    return { problem: "instance" };
  for (const key of keys) {
    const problem = await signatureProblem(token as string, key);
    if (problem !== "signature") return { claims, header: problem };
  }
  return { problem: "signature" };
}

/**
 * What is wrong with a signed token at the time `now` (Unix seconds), or undefined. That it names no instance comes first, and
 * then that it has expired.
 */
export function tokenProblem({ claims, header }: SignedToken, now: number): TokenProblem | undefined {
  const problem = claimsProblem(claims, now);
  return problem === "instance" || problem === "expired" ? problem : (header ?? problem);
}

/** The unverified claims of a token. Undefined if the token is malformed. */
export function readClaims(token: unknown): Partial<TokenClaims> | undefined {
  if (typeof token !== "string" || token.length > MAX_TOKEN_BYTES || !FORM.test(token)) return undefined;
  try {
    return decodeJwt<Partial<TokenClaims>>(token);
  } catch {
    return undefined;
  }
}

async function signatureProblem(token: string, key: SigningKey): Promise<"signature" | HeaderProblem | undefined> {
  if (!SIGNATURE.test(token)) return "signature";
  try {
    const { protectedHeader } = await compactVerify(token, key, { algorithms: [ALGORITHM] });
    return isPlainHeader(protectedHeader) ? undefined : "header";
  } catch (error) {
    // jose reads the header first. The header is the problem only if the signature itself is right.
    if (!(await isSignedBy(token, key))) return "signature";
    return error instanceof errors.JOSEAlgNotAllowed ? "algorithm" : "header";
  }
}

function isSignedBy(token: string, key: SigningKey): Promise<boolean> {
  const end = token.lastIndexOf(".");
  const signed = new TextEncoder().encode(token.slice(0, end));
  return crypto.subtle.verify("HMAC", key, new Uint8Array(base64url.decode(token.slice(end + 1))), signed);
}

/** Whether a header asks for nothing that its reader would have to understand (RFC 7515, 4.1.11; RFC 7797, 7). */
function isPlainHeader({ typ = "JWT", crit }: { typ?: unknown; crit?: unknown }): boolean {
  return isTokenType(typ) && crit === undefined;
}
