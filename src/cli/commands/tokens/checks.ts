import { checkSigningKey } from "../../../client/keys.ts";
import type { GlobalFlags } from "../../command.ts";
import { requireKey, openClient } from "../../connection/client.ts";
import { resolveTarget } from "../../connection/target.ts";
import type { Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import type { Failure } from "../../failure.ts";
import { verifyLocally, verifyRemotely, type Verdict } from "./verdict.ts";

/** What was found out about one token. */
export interface Checked {
  /** The final one: a token is valid if every check finds it valid. */
  readonly verdict: Verdict;
  readonly local: Verdict | undefined;
  readonly remote: Verdict | undefined;
}

/** How tokens are checked: opened once, and used for one token or many. */
export interface Checks {
  readonly how: How;
  /** @throws if there was no decision about the token */
  check(token: string): Promise<Checked>;
}

/** @throws {CliError} if there is no key */
export async function openChecks(
  context: Context,
  options: GlobalFlags & { readonly local?: boolean; readonly both?: boolean },
): Promise<Checks> {
  const how = options.local ? "local" : options.both ? "both" : "remote";
  const key = how === "remote" ? undefined : await localKey(context, options);
  const client = how === "local" ? undefined : await openClient(context, options);
  return {
    how,
    async check(token) {
      const now = context.now();
      const local = key === undefined ? undefined : await verifyLocally(key, token, now);
      const remote = client && (await verifyRemotely(client, token, now));
      return { verdict: [remote, local].find((one) => one?.valid === false) ?? remote ?? local!, local, remote };
    },
  };
}

/** Without a service, a key is all that is missing. */
function askForKey(error: unknown): never {
  if (error instanceof CliError && error.code === "no_key")
    throw new CliError(EXIT.noKey, "No secret key to verify the token with.", `Set SVC_SECRET_KEY. ${error.hint}`);
  throw error;
}

/** A key in the environment needs no service to verify with. */
async function localKey(context: Context, options: GlobalFlags): Promise<string> {
  const isChosen = [options.instance, options.baseUrl, options.profile].some((flag) => flag !== undefined);
  const own = isChosen ? undefined : context.env["SVC_SECRET_KEY"]?.trim();
  const key = own || (await requireKey(context, await resolveTarget(context, options).catch(askForKey)));
  checkSigningKey(own ? "SVC_SECRET_KEY" : "The secret key", key);
  return key;
}

export type How = "remote" | "local" | "both";

/** What `tokens verify --json` prints, whatever happened. */
export interface VerificationJson {
  readonly valid: boolean;
  /** Null if the token is valid. */
  readonly code: string | null;
  readonly error: string | null;
  /** Why it is not valid, in a sentence with claims that are not verified. */
  readonly reason: string | null;
  readonly user_id: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly provider: string | null;
  readonly avatar_url: string | null;
  /** ISO 8601. */
  readonly expires_at: string | null;
  /** Null if the check failed: the token may be valid. */
  readonly checked: How | null;
}

/** Of a token that is not valid nothing is repeated: a program might believe it. */
const NOTHING = {
  user_id: null,
  email: null,
  name: null,
  provider: null,
  avatar_url: null,
  expires_at: null,
} as const;

export function verdictJson(verdict: Verdict, how: How): VerificationJson {
  if (!verdict.valid)
    return {
      valid: false,
      code: verdict.code,
      error: verdict.error,
      reason: verdict.why ?? null,
      ...NOTHING,
      checked: how,
    };
  const { claims, answer } = verdict;
  const { email, name, provider, avatar_url } = answer?.data ?? claims;
  return {
    valid: true,
    code: null,
    error: null,
    reason: null,
    user_id: answer?.id ?? claims.sub ?? null,
    email: email ?? null,
    name: name ?? null,
    provider: provider ?? null,
    avatar_url: avatar_url ?? null,
    expires_at: typeof claims.exp === "number" ? new Date(claims.exp * 1000).toISOString() : null,
    checked: how,
  };
}

export function failureJson({ code, message }: Failure): VerificationJson {
  return { valid: false, code, error: message, reason: null, ...NOTHING, checked: null };
}
