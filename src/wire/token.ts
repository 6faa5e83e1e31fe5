import { base64url, compactVerify, decodeJwt, errors } from "jose";
import type { ClaimsProblem, TokenClaims } from "./claims.ts";
import type { ErrorCode } from "./errors.ts";
import { MAX_TOKEN_BYTES } from "./names.ts";

/** HMAC with SHA-256 (RFC 7518, 3.2). */
const ALGORITHM = "HS256";

/** Three parts, of which the first two are base64url. */
const FORM = /^[\w-]+\.[\w-]+\.[^.]*$/;
/** The 32 bytes of an HMAC-SHA-256 in their one canonical spelling. */
const SIGNATURE = /\.[\w-]{42}[AEIMQUYcgkosw048]$/;

/** Why a token is not valid. */
export type TokenProblem = "malformed" | "algorithm" | "signature" | "instance" | ClaimsProblem;

export type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Imports the whole secret key, prefix included, to verify with. Importing costs more than verifying: keep the result. */
export function importKey(secretKey: string): Promise<SigningKey> {
  const bytes = new TextEncoder().encode(secretKey);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/**
 * The claims of a token that one of the keys signed, or what is wrong with it, in this order: its form, the instance it
 * names, its signature, its header. The claims themselves are for `claimsProblem` to judge.
 * @param instanceId when given, the token must name this instance
 */
export async function verifySignature(
  token: unknown,
  keys: readonly SigningKey[],
  instanceId?: string,
): Promise<{ claims: Partial<TokenClaims> } | { problem: TokenProblem }> {
  const claims = readClaims(token);
  if (!claims) return { problem: "malformed" };
  const { instance_id } = claims;
  if (instanceId !== undefined && typeof instance_id === "string" && instance_id !== instanceId)
    return { problem: "instance" };
  for (const key of keys) {
    const problem = await signatureProblem(token as string, key);
    if (problem !== "signature") return problem === undefined ? { claims } : { problem };
  }
  return { problem: "signature" };
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

async function signatureProblem(token: string, key: SigningKey): Promise<TokenProblem | undefined> {
  if (!SIGNATURE.test(token)) return "signature";
  try {
    const { protectedHeader } = await compactVerify(token, key, { algorithms: [ALGORITHM] });
    return isPlainHeader(protectedHeader) ? undefined : "malformed";
  } catch (error) {
    // jose reads the header first. The algorithm is the problem only if the signature itself is right.
    if (!(await isSignedBy(token, key))) return "signature";
    return error instanceof errors.JOSEAlgNotAllowed ? "algorithm" : "malformed";
  }
}

function isSignedBy(token: string, key: SigningKey): Promise<boolean> {
  const end = token.lastIndexOf(".");
  const signed = new TextEncoder().encode(token.slice(0, end));
  return crypto.subtle.verify("HMAC", key, new Uint8Array(base64url.decode(token.slice(end + 1))), signed);
}

/** Whether a header asks for nothing that its reader would have to understand (RFC 7515, 4.1.11; RFC 7797, 7). */
function isPlainHeader({ typ = "JWT", crit }: { typ?: unknown; crit?: unknown }): boolean {
  return typ === "JWT" && crit === undefined;
}

const CODES = {
  signature: "token_invalid_signature",
  instance: "token_wrong_instance",
  expired: "token_expired",
} as const satisfies Partial<Record<TokenProblem, ErrorCode>>;

export type TokenErrorCode = (typeof CODES)[keyof typeof CODES] | "token_invalid";

/** The service's error code for a problem. */
export function codeOfProblem(problem: TokenProblem): TokenErrorCode {
  return problem in CODES ? CODES[problem as keyof typeof CODES] : "token_invalid";
}
