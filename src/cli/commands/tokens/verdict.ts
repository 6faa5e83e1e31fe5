import { isTyped } from "../../choices.ts";
import type { Client } from "../../../client/client.ts";
import { checkSigningKey } from "../../../client/options.ts";
import {
  claimsProblem,
  MAX_TOKEN_BYTES,
  explainClaims,
  explainHeader,
  timeInWords,
  type TokenClaims,
} from "../../../wire/claims.ts";
import { ERRORS } from "../../../wire/errors.ts";
import { credentialKind } from "../../../wire/ids.ts";
import type { Flags } from "../../command.ts";
import { openTarget, requireKey } from "../../connection/client.ts";
import type { Target } from "../../connection/sources.ts";
import { resolveTarget } from "../../connection/target.ts";
import type { Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import { toFailure } from "../../failure.ts";
import { counted } from "../../output/text.ts";

const TEXTS = ["code", "error", "reason", "user_id", "email", "name", "provider", "avatar_url", "expires_at"] as const;
type Texts = Readonly<Record<(typeof TEXTS)[number], string | null>>;
const NOTHING = Object.fromEntries(TEXTS.map((name) => [name, null])) as Texts;

/** Whether a token is valid, and `code` null, by the service's answer or by the key alone. */
type Verdict = { readonly valid: boolean } & Texts;

/** What `tokens verify --json` prints, whatever happened: `checked` is null if the check failed. */
export type Verification = Verdict & { readonly checked: "remote" | "local" | null };

/** Checks one token. @throws if there was no decision */
export type Check = (token: string) => Promise<Verification>;

/** How tokens are checked: opened once, and used for one token or many. */
export async function openCheck(context: Context, options: Flags<never, "local">): Promise<Check> {
  if (options.local) {
    const target = await localTarget(context);
    const key = await requireKey(context, target);
    checkSigningKey(target.base_url ? "The secret key" : target.secret_key!.source, key);
    return async (token) => {
      const verdict = await verifyLocally(key, token, context.now());
      if (verdict.reason !== OTHER_KEY) return { ...verdict, checked: "local" };
      const reason = (await otherInstance(target, token)) ?? `${OTHER_KEY} ${KEPT_KEYS}`;
      return { ...verdict, reason, checked: "local" };
    };
  }
  const target = await resolveTarget(context);
  const client = await openTarget(context, target);
  return async (token) => {
    const verdict = await verifyRemotely(client, token, context.now());
    if (verdict.code !== "token_wrong_instance") return { ...verdict, checked: "remote" };
    const reason = (await otherInstance(target, token)) ?? verdict.reason;
    return { ...verdict, reason, checked: "remote" };
  };
}

/** A key in the environment needs no service to verify with, unless something chooses one. */
async function localTarget(context: Context): Promise<Target> {
  const { secret_key, profile, base_url, instance } = context.choices;
  const isAlone = secret_key && !instance && !isTyped(profile) && !isTyped(base_url);
  return isAlone ? { secret_key } : resolveTarget(context).catch(askForKey);
}

/** The reason if a token is of another instance of the server of this directory. */
async function otherInstance({ server, publishable_key }: Target, token: string): Promise<string | undefined> {
  const id = (await decode(token))?.claims.instance_id;
  const found = server?.instances.find((one) => one.id === id && one.publishable_key !== publishable_key?.value);
  return found && `It was issued for instance ${found.subdomain}. To verify it there: --instance ${found.subdomain}`;
}

/** Without a service, a key is all that is missing. */
function askForKey(error: unknown): never {
  if (error instanceof CliError && error.code === "no_key")
    throw new CliError(EXIT.noKey, "No secret key to verify the token with.", `Set SVC_SECRET_KEY. ${error.hint}`);
  throw error;
}

/** Asks the service. @throws if it did not decide about the token */
async function verifyRemotely(client: Client, token: string, now: Date): Promise<Verdict> {
  const decoded = await decode(token);
  try {
    const { id, data } = await client.tokens.verify(token);
    return accepted({ ...data, sub: id }, decoded?.claims.exp);
  } catch (error) {
    return refusedVerdict(error, token, decoded, now);
  }
}

/** Checks the signature and the claims without a request, and so does not notice that a user was deleted. */
async function verifyLocally(secretKey: string, token: string, now: Date): Promise<Verdict> {
  const { verifyToken } = await import("../../../client/verify.ts");
  try {
    const claims = await verifyToken(token, { secretKey, now: () => now });
    return accepted(claims, claims.exp);
  } catch (error) {
    return refusedVerdict(error, token, await decode(token), now);
  }
}

function accepted(claims: Partial<TokenClaims>, exp: number | undefined): Verdict {
  const { sub: user_id = null, email = null, name = null, provider = null, avatar_url = null } = claims;
  const expires_at = typeof exp === "number" ? new Date(exp * 1000).toISOString() : null;
  return { valid: true, ...NOTHING, user_id, email, name, provider, avatar_url, expires_at };
}

/** Of a token that is not valid nothing is repeated: a program might believe it. */
export function notValid(code: string, error: string, reason: string | null = null): Verdict {
  return { valid: false, ...NOTHING, code, error, reason };
}

/** The header and claims of a token. Undefined if it cannot be decoded. */
export async function decode(token: string): Promise<DecodedToken | undefined> {
  const { decodeToken } = await import("../../../client/verify.ts");
  try {
    return decodeToken(token);
  } catch {
    return undefined;
  }
}

function refusedVerdict(error: unknown, token: string, decoded: DecodedToken | undefined, now: Date): Verdict {
  const { exitCode, code, message } = toFailure(error);
  // A token that is too long to be sent is not valid.
  if (code === "body_too_large")
    return notValid("token_invalid_signature", ERRORS.token_invalid_signature.error, whatIsBroken(token));
  const isAnswer = exitCode === EXIT.tokenInvalid || code === "user_not_found";
  if (!isAnswer) throw error;
  return notValid(code, message, whyNot(code, token, decoded, now));
}

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
      return typeof decoded?.claims.exp === "number" ? whenItExpired(decoded.claims, now) : undefined;
    case "token_invalid_signature":
      return decoded && token.length <= MAX_TOKEN_BYTES ? whatIsUnsigned(token, decoded) : whatIsBroken(token);
    case "token_wrong_instance": {
      const id: unknown = decoded?.claims.instance_id;
      return typeof id === "string" ? `It was issued for instance ${id}.` : "It has no instance_id.";
    }
    case "user_not_found":
      return `It is signed and has not expired, but user ${String(decoded?.claims.sub)} was deleted, or never existed.`;
    case "token_invalid":
      return decoded ? whatIsOdd(decoded, now) : whatIsBroken(token);
    default:
      return undefined;
  }
}

/** Its signature is right, so it says whose it was. */
function whenItExpired({ exp = 0, email }: DecodedToken["claims"], now: Date): string {
  const whose = typeof email === "string" ? ` It was issued to ${email}.` : "";
  // The service's clock decides, and can be ahead: a development server's is moved by hand.
  if (exp * 1000 > now.getTime())
    return `It expires ${timeInWords(exp, now)} here, but the service's clock is ahead.${whose}`;
  return explainClaims("expired", { exp }, now) + whose;
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

const OTHER_KEY = "It was signed with another key, or changed after it was signed.";
/** What `--local` does not have. */
const KEPT_KEYS = "If the key was replaced with --keep-old, the service still accepts it: verify without --local.";

function whatIsUnsigned(token: string, { header }: DecodedToken): string {
  if (/\s/.test(token)) return IN_PIECES;
  if (header["alg"] !== "HS256") return explainHeader(header)!;
  const { length } = token.slice(token.lastIndexOf(".") + 1);
  if (length !== SIGNATURE_LENGTH)
    return `Its signature has ${counted(length, "character")} instead of ${SIGNATURE_LENGTH}. Check that it was copied completely.`;
  return OTHER_KEY;
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
