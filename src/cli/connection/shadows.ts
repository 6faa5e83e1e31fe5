import type { Context } from "../context.ts";
import { findLocalServer } from "./running-server.ts";

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
  const what = local.isRunning
    ? `The local server of ${local.directory} takes precedence here`
    : `A local server has run in ${local.directory}, and commands here wait for it`;
  return [...reasons, `${what}: use --profile ${profile}.`];
}
