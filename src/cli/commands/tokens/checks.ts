import { checkSigningKey } from "../../../client/options.ts";
import type { Flags, GlobalFlags } from "../../command.ts";
import { requireKey, openClient } from "../../connection/client.ts";
import { resolveTarget } from "../../connection/target.ts";
import type { Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import { verifyLocally, verifyRemotely, type Verdict } from "./verdict.ts";

/** How tokens are checked: opened once, and used for one token or many. */
export type Checks = Awaited<ReturnType<typeof openChecks>>;
export type Checked = Awaited<ReturnType<Checks["check"]>>;
/** What `tokens verify --json` prints, whatever happened: `checked` is null if the check failed. */
export type Verification = Verdict & { readonly checked: "remote" | "local" | "both" | null };

export async function openChecks(context: Context, options: Flags<never, "local" | "both">) {
  const how = options.local ? "local" : options.both ? "both" : "remote";
  const key = how === "remote" ? undefined : await localKey(context, options);
  const client = how === "local" ? undefined : await openClient(context, options);
  return {
    /** The verdict is the final one: a token is valid if every check finds it valid. @throws if there was no decision */
    async check(token: string) {
      const now = context.now();
      const local = key === undefined ? undefined : await verifyLocally(key, token, now);
      const remote = client && (await verifyRemotely(client, token, now));
      const verdict = [remote, local].find((one) => one?.valid === false) ?? remote ?? local!;
      return { verification: { ...verdict, checked: how } satisfies Verification, local, remote };
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
