import { runs, withHelp, type GlobalFlags, type Program } from "../command.ts";
import { shadowOf } from "../connection/target.ts";
import type { Context, Surroundings } from "../context.ts";
import { listProfiles, readCurrent, requireProfile, writeCurrent, type Profile } from "../credentials/profiles.ts";
import { EXIT } from "../errors.ts";
import type { Listed } from "../list/columns.ts";
import { printList } from "../list/print.ts";
import { printsRows, type OutputFlags } from "../output/flags.ts";
import { printJson, say } from "../output/text.ts";

type Row = Omit<Profile, "secret_key"> & { name: string; current: boolean; secret_key: string | null };

const LISTED: Listed<Row> = {
  columns: [
    { name: "name", title: "NAME" },
    { name: "current", title: "CURRENT", as: ["yes", ""] },
    { name: "base_url", title: "ADDRESS" },
    { name: "secret_key", title: "KEY" },
  ],
};

export function add(program: Program, context: Surroundings): void {
  const profiles = program.command("profiles");
  withHelp(profiles, {
    notes: "To create a profile: svc login. To delete one: svc logout --forget",
  });

  runs(
    printsRows(profiles.command("list")).description("print all profiles; keys are never shown"),
    context,
    { on: "nothing" },
    runList,
    {
      examples: [["svc profiles list", "a table; tab-separated in a pipe"]],
    },
  );

  const use = profiles.command("use <name>").description("make a profile the current one");
  runs(use, context, { on: "nothing" }, runUse, {
    examples: [["svc profiles use staging", "commands use staging from now on"]],
  });
}

export async function runList(context: Context, options: OutputFlags): Promise<void> {
  const current = await readCurrent(context);
  const names = await listProfiles(context);
  const rows = await Promise.all(
    names.map(async (name): Promise<Row> => {
      const { secret_key, ...profile } = await requireProfile(context, name);
      return { name, current: name === current, ...profile, secret_key: secret_key?.store ?? null };
    }),
  );
  await printList(context, options, LISTED, rows, { none: "There are no profiles yet. Create one with: svc login" });
}

export async function runUse(context: Context, { json }: GlobalFlags, name: string): Promise<void> {
  const { base_url } = await requireProfile(context, name, EXIT.notFound);
  await writeCurrent(context, name);
  if (json) return printJson(context, { current: name, base_url });
  context.stdout.write(`"${name}" is now the current profile: ${base_url}\n`);
  const shadow = await shadowOf(context, name);
  if (shadow !== undefined) say(context, shadow);
}
