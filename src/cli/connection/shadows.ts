import type { Context } from "../context.ts";
import { findLocalServer } from "./running-server.ts";
import { placeOf } from "./server-file.ts";

/** What the environment takes a service and a key from before it looks at the current profile. */
const VARIABLES = ["SVC_PROFILE", "SVC_BASE_URL", "SVC_SECRET_KEY", "SVC_SECRET_KEY_FILE", "SVC_SECRET_KEY_COMMAND"];

/** Why a profile that has become the current one is not what commands here use: a sentence for each reason. */
export async function shadowsOf(context: Context, profile: string): Promise<string[]> {
  const { env } = context;
  const set = VARIABLES.filter((name) => env[name] && !(name === "SVC_PROFILE" && env[name] === profile));
  const reasons = set.map((name) => {
    const value = name === "SVC_PROFILE" || name === "SVC_BASE_URL" ? ` to ${env[name]!}` : "";
    return `${name} is set${value} and takes precedence: unset it, or use --profile ${profile}.`;
  });
  const local = await findLocalServer(context);
  if (!local) return reasons;
  const { isRunning, directory } = local;
  const what = isRunning
    ? `The local server of ${directory} takes precedence here: use --profile ${profile}.`
    : `Commands in ${directory} and below use the local server that has run there: use --profile ${profile}, or move ${placeOf(directory)} away.`;
  return [...reasons, what];
}
