import { checkSigningKey } from "../../../client/keys.ts";
import { requireKey, openClient } from "../../connection/client.ts";
import { resolveTarget } from "../../connection/target.ts";
import type { GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import type { How } from "./json.ts";
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
