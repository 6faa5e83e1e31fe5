import type { Context } from "../context.ts";
import { listProfiles } from "../credentials/profiles.ts";
import { CliError, EXIT, UsageError } from "../errors.ts";
import { few } from "../../text/suggestion.ts";
import { findServers, notAnswering, type LocalServer } from "./running-server.ts";
import type { Target } from "./sources.ts";

/** @param alternative what else can be done */
export function notRunning({ directory, place, silent }: LocalServer, alternative: string): CliError {
  if (silent) return notAnswering(silent, alternative);
  return new CliError(
    EXIT.unreachable,
    `The local server of ${directory} is not running.`,
    `Start it with: svc serve. ${alternative} If that server is no longer used, move ${place} away.`,
  );
}

export async function noService(context: Context, { secret_key }: Target): Promise<CliError> {
  if (secret_key !== undefined)
    return new UsageError(
      `No address for the key in ${secret_key.source}.`,
      "Set SVC_BASE_URL to the address of your instance.",
    );
  const profiles = await listProfiles(context);
  const named = profiles.length === 0 ? undefined : `Choose a profile with --profile: ${few(profiles)}.`;
  const hints = [await elsewhere(context), named].filter(Boolean).join(" ");
  return new CliError(
    EXIT.noKey,
    "No service is configured: no server runs in this directory, and SVC_BASE_URL is not set.",
    hints || "Start a local server with: svc serve. For a service elsewhere: svc login",
  );
}

/** The servers that run on this machine for other directories, with what chooses one. Undefined if there are none. */
export async function elsewhere(context: Context): Promise<string | undefined> {
  const servers = await findServers(context);
  if (servers.length === 0) return undefined;
  const named = few(servers.map(({ url, directory }) => `${url} (${directory})`));
  const [first, ...others] = servers;
  const use =
    others.length > 0 ? "Add --base-url and an address to use one." : `Add --base-url ${first!.url} to use it.`;
  return `On this machine for another directory: ${named}. ${use}`;
}
