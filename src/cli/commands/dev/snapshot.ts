import type { Command } from "commander";
import type { AnswerOf } from "../../../wire/control/types.ts";
import { runs, withHelp, type Flags, type GlobalFlags } from "../../command.ts";
import { consentAt, YES_FLAG } from "../../connection/consent.ts";
import { instanceInWords, instanceOf, openControl, sayDone, sayUndo } from "../../connection/control.ts";
import type { Context, Surroundings } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import type { Listed } from "../../list/columns.ts";
import { printList, printResource } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { counted, countedAmong, printJson, say } from "../../output/text.ts";

const SNAPSHOT_COLUMNS: Listed<AnswerOf<"GET /snapshots">[number]> = {
  columns: [
    { name: "name", title: "NAME" },
    { name: "created_at", title: "SAVED", as: "time" },
    {
      name: "records",
      title: "RECORDS",
      value: ({ data }) => contentInWords(data.records),
    },
  ],
};

function contentInWords(records: Readonly<Record<string, number>>): string {
  return Object.entries(records)
    .map(([kind, count]) => countedAmong(count, kind))
    .join(", ");
}

const UNDO = `The question names the server. The records before that are saved as the snapshot previous-1, previous-2 and so on, of
which the last five are kept; previous is the newest.`;

export type ReplaceOptions = Flags<never, "yes">;

export function addSnapshot(dev: Command, context: Surroundings): void {
  const snapshot = dev.command("snapshot").description("save all records and the clock, and restore them");
  withHelp(snapshot, {
    notes: "Names have 1 to 64 of a-z, 0-9, dot, underscore and hyphen.",
  });

  const save = printsRows(snapshot.command("save <name>")).description("save all records and the clock");
  runs(save, context, { on: "server", changes: true }, runSave, {
    examples: [["svc dev snapshot save signed-in", "keep everything as it is now"]],
  });

  const restore = printsRows(snapshot.command("restore <name>"))
    .description("replace all records with a snapshot's, or one instance's users and sessions")
    .option(...YES_FLAG);
  runs(restore, context, { on: "either", changes: true }, runRestore, {
    examples: [
      ["svc dev snapshot restore signed-in", "all records, keys and the clock as they were"],
      ["svc dev snapshot restore previous --instance globex", "undo the last reset of one instance"],
    ],
    notes: `Where a flag, variable or profile chooses an instance, only its users and sessions are replaced. Its keys and
settings, the clock and all other instances stay as they are. ${UNDO}`,
  });

  const list = printsRows(snapshot.command("list")).description("print the snapshots, newest first");
  runs(list, context, { on: "server" }, runSnapshots, {
    examples: [["svc dev snapshot list", "their names, and what is in them"]],
  });

  const remove = snapshot
    .command("delete <name>")
    .description("delete a snapshot")
    .option(...YES_FLAG);
  runs(remove, context, { on: "server", changes: true }, runDelete, {
    examples: [["svc dev snapshot delete signed-in", "the records stay"]],
  });

  const reset = dev
    .command("reset")
    .description("restore the seed, or clear one instance")
    .option("--all", "all records as the seed has them, the real time, and no scenarios")
    .option(...YES_FLAG);
  runs(reset, context, ({ all }) => ({ on: all ? "server" : "instance", changes: true }), runReset, {
    examples: [
      ["svc dev reset --all", "as after svc serve --reset, with the same ids and keys; asks first"],
      ["svc dev reset --instance globex", "delete the users and sessions of one instance"],
      ["svc dev snapshot restore previous --instance globex", "undo it"],
    ],
    notes: `${UNDO} Other snapshots stay.`,
  });
}

export async function runSave(context: Context, options: GlobalFlags, name: string): Promise<void> {
  const control = await openControl(context);
  const saved = await control.request("POST /snapshots", { body: { name } });
  await printResource(context, options, SNAPSHOT_COLUMNS, saved);
  await sayDone(context, options, control, `Saved the snapshot ${name} of`);
}

/** Restores an instance, if one was chosen, else all that a snapshot has, after consent. */
export async function runRestore(context: Context, options: ReplaceOptions, given: string): Promise<void> {
  const control = await openControl(context);
  const instance = control.instance === undefined ? undefined : await instanceOf(control);
  const query = { instance: instance?.id };
  const { data } = await control.request("GET /snapshots/:name", { params: { name: given }, query });
  const { name, created_at, records } = data;
  const what = instance
    ? `the users and sessions of ${instanceInWords(instance)}`
    : "the records and keys of all instances, and the clock,";
  const does = `Replace ${what} with the snapshot ${name} of ${created_at} (${contentInWords(records)})`;
  await consentAt(context, control, options, does);
  const restored = await control.request("POST /snapshots/:name/restore", { params: { name }, body: query });
  await printResource(context, options, SNAPSHOT_COLUMNS, restored);
  const done = instance ? `Restored users and sessions of the snapshot ${name} in` : `Restored the snapshot ${name} of`;
  await sayDone(context, options, control, done, instance?.id);
  sayUndo(context, options, restored.data.previous!, instance);
}

export async function runSnapshots(context: Context, options: GlobalFlags): Promise<void> {
  const rows = (await openControl(context)).rows("GET /snapshots");
  await printList(context, options, SNAPSHOT_COLUMNS, rows, { none: "There are no snapshots." });
}

export async function runDelete(context: Context, options: ReplaceOptions, name: string): Promise<void> {
  const control = await openControl(context);
  await consentAt(context, control, options, `Delete the snapshot ${name}`, " This cannot be undone.");
  const answer = await control.request("DELETE /snapshots/:name", { params: { name } });
  if (options.json) return printJson(context, answer);
  await sayDone(context, options, control, `Deleted the snapshot ${name} of`);
}

/** Restores the seed, or clears one instance after consent. @throws {CliError} unless the flags choose one of them */
export async function runReset(context: Context, options: Flags<never, "all" | "yes">): Promise<void> {
  const { json } = options;
  const all = options.all === true;
  const nothing = new UsageError("Nothing to reset.", "Use either --all, or --instance with a name.");
  const control = await openControl(context);
  const body = all ? { all: true as const } : control.instance && { instance: control.instance };
  if (!body) throw nothing;
  const instance = all ? undefined : await instanceOf(control);
  const does = instance
    ? `Delete all users and sessions of ${instanceInWords(instance)}`
    : `Replace ${recordsOf(await control.request("GET /state"))} with the seed`;
  await consentAt(context, control, options, does);
  const answer = await control.request("POST /reset", { body });
  if (json) return printJson(context, answer);
  const done = instance ? "Deleted all users and sessions of" : "Restored the seed of";
  await sayDone(context, options, control, done, instance?.id);
  say(context, `The server now has ${recordsOf(answer)}.`);
  sayUndo(context, options, answer.snapshot, instance);
}

function recordsOf({ instances, users, sessions }: Record<"instances" | "users" | "sessions", number>): string {
  return `${counted(instances, "instance")}, ${counted(users, "user")} and ${counted(sessions, "session")}`;
}
