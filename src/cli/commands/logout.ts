import { runs, type Flags, type GlobalFlags, type Program } from "../command.ts";
import type { Context } from "../context.ts";
import { forgetKey } from "../credentials/keys.ts";
import { chosenProfile, listProfiles, requireProfile, writeProfile } from "../credentials/profiles.ts";
import { CliError, EXIT } from "../errors.ts";
import { printJson } from "../output/text.ts";

export function add(program: Program, context: Context): void {
  runs(program.command("logout").option("--all", "delete the keys of all profiles"), context, runLogout, {
    examples: [
      ["svc logout", "delete the key of the current profile"],
      ["svc logout --profile staging", "of another profile"],
      ["svc logout --all", "of all profiles"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.notFound],
    notes: "The profile and its address stay. To delete them as well:\n  svc profiles remove <name>",
  });
}

export async function runLogout(context: Context, options: Flags<never, "all">): Promise<void> {
  const names = options.all ? await listProfiles(context) : [await oneProfile(context, options)];
  const removed: string[] = [];
  for (const name of names) {
    const { secret_key, ...rest } = await requireProfile(context, name);
    if (secret_key === undefined) continue;
    await forgetKey(context, name, secret_key);
    await writeProfile(context, name, rest);
    removed.push(name);
  }
  if (options.json) printJson(context, { removed });
  else for (const name of removed) context.stdout.write(`Deleted the key of profile "${name}".\n`);
  if (removed.length === 0) context.stderr.write("No key was stored.\n");
  for (const variable of ["SVC_SECRET_KEY", "SVC_SECRET_KEY_FILE", "SVC_SECRET_KEY_COMMAND"])
    if (context.env[variable]) context.stderr.write(`${variable} is still set.\n`);
}

async function oneProfile(context: Context, { profile }: GlobalFlags): Promise<string> {
  const name = await chosenProfile(context, profile);
  if (name !== undefined) return name;
  throw new CliError(EXIT.notFound, "No current profile to log out of.", "Name one with --profile.");
}
