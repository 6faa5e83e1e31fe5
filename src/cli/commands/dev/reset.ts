import type { Command } from "commander";
import { openControl, consentAt, instanceInWords, YES_FLAG } from "../../connection/control.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { DEV_EXITS, UsageError } from "../../errors.ts";
import { counted, printJson, say } from "../../output/text.ts";

export interface ResetOptions extends GlobalFlags {
  readonly all?: boolean;
  readonly yes?: boolean;
}

export function addReset(dev: Command, context: Context): void {
  const command = dev
    .command("reset")
    .description("restore the seed, or clear one instance")
    .option("--all", "all records as the seed has them, the real time, and no scenarios")
    .option(...YES_FLAG);
  withHelp(command, {
    examples: [
      ["svc dev reset --all", "as after svc serve --reset, with the same ids and keys; asks first"],
      ["svc dev reset --all --yes", "in a script"],
      ["svc dev reset --instance globex", "delete the users and sessions of one instance"],
      ["svc dev snapshot restore previous", "undo it"],
    ],
    exits: DEV_EXITS,
    notes: `The question names the server. The records before that are saved as the snapshot previous-1, previous-2 and so on, of
which the last five are kept; previous is the newest. Other snapshots stay.`,
  });
  runs(command, (options: ResetOptions) => runReset(context, options));
}

/** Restores the seed, or clears one instance after consent. @throws {CliError} unless the flags choose one of them */
export async function runReset(context: Context, options: ResetOptions): Promise<void> {
  const { all, instance, json } = options;
  if ((all === true) === (instance !== undefined))
    throw new UsageError("Nothing to reset.", "Use either --all, or --instance with a name.");
  const control = await openControl(context, options);
  const does =
    instance === undefined
      ? `Replace ${recordsOf(await control.request("GET /state"))} with the seed`
      : `Delete all users and sessions of ${instanceInWords(await control.request("GET /instances/:id", { params: { id: instance } }))}`;
  await consentAt(context, control, options, does);
  const answer = await control.request("POST /reset", {
    body: instance === undefined ? { all: true } : { instance },
  });
  if (json) return printJson(context, answer);
  say(context, `Reset. The server now has ${recordsOf(answer)}.`);
  say(context, `To undo this: svc dev snapshot restore ${answer.snapshot}`);
}

function recordsOf({
  instances,
  users,
  sessions,
}: Readonly<Record<"instances" | "users" | "sessions", number>>): string {
  return `${counted(instances, "instance")}, ${counted(users, "user")} and ${counted(sessions, "session")}`;
}
