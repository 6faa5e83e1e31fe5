import { runs, type Flags, type Program } from "../command.ts";
import type { Context, Surroundings } from "../context.ts";
import { forgetKey } from "../credentials/keys.ts";
import { listProfiles, readCurrent, removeProfile, requireProfile, writeProfile } from "../credentials/profiles.ts";
import { CliError, EXIT } from "../errors.ts";
import { printJson } from "../output/text.ts";

export function add(program: Program, context: Surroundings): void {
  const command = program
    .command("logout")
    .option("--all", "of all profiles")
    .option("--forget", "delete the profile and its address as well");
  runs(command, context, { on: "profile" }, runLogout, {
    examples: [
      ["svc logout", "delete the key of the current profile"],
      ["svc logout --profile staging --forget", "delete another profile, and its key"],
      ["svc logout --all", "delete the keys of all profiles"],
    ],
  });
}

export async function runLogout(context: Context, options: Flags<never, "all" | "forget">): Promise<void> {
  const { profile, secret_key: own } = context.choices;
  const chosen = profile?.value ?? (await readCurrent(context));
  if (!options.all && chosen === undefined)
    throw new CliError(EXIT.notFound, "No current profile to log out of.", "Name one with --profile.");
  const names = options.all ? await listProfiles(context) : [chosen!];
  const removed: string[] = [];
  for (const name of names) {
    const { secret_key, ...rest } = await requireProfile(context, name, EXIT.notFound);
    if (secret_key) await forgetKey(context, name, secret_key);
    if (options.forget) await removeProfile(context, name);
    else if (secret_key) await writeProfile(context, name, rest);
    if (options.forget || secret_key) removed.push(name);
  }
  if (options.json) printJson(context, { removed });
  else
    for (const name of removed)
      context.stdout.write(`Deleted ${options.forget ? "" : "the key of "}profile "${name}".\n`);
  if (removed.length === 0) context.stderr.write("No key was stored.\n");
  if (own) context.stderr.write(`${own.source} is still set.\n`);
}
