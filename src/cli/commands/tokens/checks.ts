import { checkSigningKey } from "../../../client/options.ts";
import type { Flags, GlobalFlags } from "../../command.ts";
import { requireKey, openClient } from "../../connection/client.ts";
import { resolveTarget } from "../../connection/target.ts";
import type { Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import { verifyLocally, verifyRemotely, type Verdict } from "./verdict.ts";

/** What `tokens verify --json` prints, whatever happened: `checked` is null if the check failed. */
export type Verification = Verdict & { readonly checked: "remote" | "local" | null };

/** Checks one token. @throws if there was no decision */
export type Check = (token: string) => Promise<Verification>;

/** How tokens are checked: opened once, and used for one token or many. */
export async function openCheck(context: Context, options: Flags<never, "local">): Promise<Check> {
  if (options.local) {
    const key = await localKey(context, options);
    return async (token) => ({ ...(await verifyLocally(key, token, context.now())), checked: "local" });
  }
  const client = await openClient(context, options);
  return async (token) => ({ ...(await verifyRemotely(client, token, context.now())), checked: "remote" });
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
