import { Argument } from "commander";
import { optionsOf } from "../../connection/client-options.ts";
import { runs, withHelp, type GlobalFlags, type Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { printJson, printRecord } from "../../output/text.ts";
import {
  PROFILE_SETTINGS,
  chosenProfile,
  requireConfigDirectory,
  requireProfile,
  writeProfile,
  type Profile,
  type ProfileSetting,
} from "../../credentials/profiles.ts";
import { originOf } from "../../connection/sources.ts";

export function addConfig(program: Program, context: Context): void {
  const config = program.command("config");
  const exits = [EXIT.done, EXIT.failed, EXIT.usage, EXIT.notFound];
  withHelp(config, {
    examples: [
      ["svc config list", "the settings of the current profile"],
      ["svc config set api_url https://api.example.com", "change it"],
      ["svc config path", "where the files are"],
    ],
    exits,
    notes: `Settings: ${PROFILE_SETTINGS.join(", ")}. Keys are stored by svc login, and never shown. svc whoami shows what is in use.`,
  });

  const path = config.command("path").description("print the configuration directory");
  withHelp(path, { examples: [["svc config path", "such as ~/.config/svc"]], exits: [EXIT.done, EXIT.usage] });
  runs(path, (options: GlobalFlags) => runPath(context, options));

  const list = config.command("list").description("print the settings of a profile");
  withHelp(list, {
    examples: [
      ["svc config list", "of the current profile"],
      ["svc config list --profile staging", "of another profile"],
    ],
    exits,
  });
  runs(list, (options: GlobalFlags) => runList(context, options));

  const get = config.command("get").addArgument(settingArgument()).description("print one setting");
  withHelp(get, { examples: [["svc config get base_url", "for a script"]], exits });
  runs(get, (options: GlobalFlags, setting: ProfileSetting) => runGet(context, options, setting));

  const set = config
    .command("set")
    .addArgument(settingArgument())
    .argument("<value>")
    .description("change one setting");
  withHelp(set, { examples: [["svc config set api_url https://api.example.com", "in the current profile"]], exits });
  runs(set, (options: GlobalFlags, setting: ProfileSetting, value: string) => runSet(context, options, setting, value));

  const unset = config.command("unset").addArgument(settingArgument()).description("remove one setting");
  withHelp(unset, { examples: [["svc config unset publishable_key", "in the current profile"]], exits });
  runs(unset, (options: GlobalFlags, setting: ProfileSetting) => runUnset(context, options, setting));
}

function settingArgument(): Argument {
  return new Argument("<setting>").choices(PROFILE_SETTINGS);
}

/** Prints the directory of the profiles. */
export async function runPath(context: Context, { json }: GlobalFlags): Promise<void> {
  const directory = requireConfigDirectory(context);
  if (json) return printJson(context, { path: directory });
  context.stdout.write(`${directory}\n`);
}

/** Prints the settings of a profile. */
export async function runList(context: Context, options: GlobalFlags): Promise<void> {
  const [, profile] = await chosen(context, options);
  const settings = Object.fromEntries(PROFILE_SETTINGS.map((name) => [name, profile[name] ?? null]));
  if (options.json) return printJson(context, settings);
  printRecord(context, Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value ?? ""])));
}

/** Prints one setting of a profile. */
export async function runGet(context: Context, options: GlobalFlags, setting: ProfileSetting): Promise<void> {
  const [name, profile] = await chosen(context, options);
  const value = profile[setting];
  if (value === undefined) throw new CliError(EXIT.notFound, `${setting} is not set in profile "${name}".`);
  if (options.json) return printJson(context, { [setting]: value });
  context.stdout.write(`${value}\n`);
}

/** Changes one setting of a profile. */
export async function runSet(
  context: Context,
  options: GlobalFlags,
  setting: ProfileSetting,
  value: string,
): Promise<void> {
  const [name, profile] = await chosen(context, options);
  const changed = { ...profile, [setting]: checkValue(setting, value) };
  if (profile.secret_key && originOf(changed.base_url) !== profile.secret_key.origin)
    throw new CliError(
      EXIT.usage,
      `The key of profile "${name}" is for ${profile.secret_key.origin} only.`,
      `Log in to the other service under another name: svc login --base-url ${originOf(changed.base_url)}`,
    );
  await writeProfile(context, name, changed);
  if (options.json) printJson(context, { [setting]: value });
}

/** Removes one setting of a profile. */
export async function runUnset(context: Context, options: GlobalFlags, setting: ProfileSetting): Promise<void> {
  const [name, { [setting]: _, ...rest }] = await chosen(context, options);
  if (!("base_url" in rest) || rest.base_url === undefined)
    throw new CliError(EXIT.usage, "A profile needs an address.", `To remove the profile: svc profiles remove ${name}`);
  await writeProfile(context, name, rest as Profile);
  if (options.json) printJson(context, { [setting]: null });
}

async function chosen(context: Context, flags: GlobalFlags): Promise<[name: string, profile: Profile]> {
  const name = await chosenProfile(context, flags.profile);
  if (name === undefined) throw new CliError(EXIT.notFound, "No current profile.", "Create one with: svc login");
  return [name, await requireProfile(context, name)];
}

function checkValue(setting: ProfileSetting, value: string): string {
  if (setting !== "publishable_key")
    return optionsOf({ env: {} } as Context, { base_url: { value, source: setting } }).baseUrl!;
  if (/^pk_[\x21-\x7e]+$/.test(value)) return value;
  throw new CliError(EXIT.usage, "publishable_key must begin with pk_ and have no spaces.");
}
