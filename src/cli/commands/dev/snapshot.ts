import type { Command } from "commander";
import { openControl, consentAt, YES_FLAG } from "../../connection/control.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { DEV_EXITS } from "../../errors.ts";
import { printAll, printResource } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { printJson, say } from "../../output/text.ts";
import { SNAPSHOT_COLUMNS } from "./columns.ts";

export interface ReplaceOptions extends GlobalFlags {
  readonly yes?: boolean;
}

export function addSnapshot(dev: Command, context: Context): void {
  const snapshot = dev.command("snapshot").description("save all records and the clock, and restore them");
  withHelp(snapshot, {
    examples: [
      ["svc dev snapshot save before-import", "keep everything as it is now"],
      ["svc dev snapshot restore before-import", "go back to it"],
      ["svc dev snapshot restore previous", "undo a reset or a restore"],
    ],
    exits: DEV_EXITS,
    notes: "Names have 1 to 64 of a-z, 0-9, dot, underscore and hyphen.",
  });

  const save = printsRows(snapshot.command("save <name>")).description("save all records and the clock");
  withHelp(save, { examples: [["svc dev snapshot save signed-in", "keep everything as it is now"]], exits: DEV_EXITS });
  runs(save, (options: GlobalFlags, name: string) => runSave(context, options, name));

  const restore = printsRows(snapshot.command("restore <name>"))
    .description("replace all records with a snapshot's")
    .option(...YES_FLAG);
  withHelp(restore, {
    examples: [["svc dev snapshot restore signed-in", "restores all records of that snapshot"]],
    exits: DEV_EXITS,
    notes: `The question names the server. The records before that are saved as the snapshot previous-1, previous-2 and so on, of
which the last five are kept; previous is the newest.`,
  });
  runs(restore, (options: ReplaceOptions, name: string) => runRestore(context, options, name));

  const list = printsRows(snapshot.command("list")).description("print the snapshots, newest first");
  withHelp(list, { examples: [["svc dev snapshot list", "their names, and what is in them"]], exits: DEV_EXITS });
  runs(list, (options: GlobalFlags) => runSnapshots(context, options));

  const remove = snapshot
    .command("delete <name>")
    .description("delete a snapshot")
    .option(...YES_FLAG);
  withHelp(remove, { examples: [["svc dev snapshot delete signed-in", "the records stay"]], exits: DEV_EXITS });
  runs(remove, (options: ReplaceOptions, name: string) => runDelete(context, options, name));
}

/** Saves a snapshot, and prints what is in it. */
export async function runSave(context: Context, options: GlobalFlags, name: string): Promise<void> {
  const control = await openControl(context, options);
  const saved = await control.request("POST /snapshots", { body: { name } });
  await printResource(context, options, SNAPSHOT_COLUMNS, saved);
}

/** Restores a snapshot, and prints what was in it. */
export async function runRestore(context: Context, options: ReplaceOptions, name: string): Promise<void> {
  const control = await openControl(context, options);
  await consentAt(context, control, options, `Replace all records with the snapshot ${name}`);
  const restored = await control.request("POST /snapshots/:name/restore", { params: { name } });
  await printResource(context, options, SNAPSHOT_COLUMNS, restored);
  if (context.stderr.isTTY) say(context, `To undo this: svc dev snapshot restore ${restored.data.previous}`);
}

export async function runSnapshots(context: Context, options: GlobalFlags): Promise<void> {
  const rows = (await openControl(context, options)).rows("GET /snapshots");
  await printAll(context, options, SNAPSHOT_COLUMNS, rows, "There are no snapshots.");
}

export async function runDelete(context: Context, options: ReplaceOptions, name: string): Promise<void> {
  const control = await openControl(context, options);
  await consentAt(context, control, options, `Delete the snapshot ${name}`, " This cannot be undone.");
  const answer = await control.request("DELETE /snapshots/:name", { params: { name } });
  if (options.json) return printJson(context, answer);
  say(context, `Deleted the snapshot ${name}.`);
}
