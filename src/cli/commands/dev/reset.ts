import type { Command } from "commander";
import { openControl } from "../../connection/control.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { DEV_EXITS, EXIT, type ExitCode } from "../../exit-codes.ts";
import { counted } from "../../output/format.ts";
import { isInteractive } from "../../output/prompt.ts";
import { harmless, printJson, say } from "../../output/text.ts";

export interface ResetOptions extends GlobalFlags {
  readonly all?: boolean;
  readonly yes?: boolean;
}

export function addReset(dev: Command, context: Context): void {
  const command = dev
    .command("reset")
    .description("restore the seed, or clear one instance")
    .option("--all", "all records as the seed has them, the real time, and no scenarios")
    .option("-y, --yes", "on a terminal, do not ask before an instance is emptied");
  withHelp(command, {
    examples: [
      ["svc dev reset --all", "as after svc serve --reset, with the same ids and keys"],
      ["svc dev reset --instance globex", "delete the users and sessions of one instance"],
      ["svc dev snapshot restore previous", "undo it"],
    ],
    exits: DEV_EXITS,
    notes: "The records before that are saved as the snapshot previous. Snapshots stay.",
  });
  runs(command, (options: ResetOptions) => runReset(context, options));
}

/** Restores the seed, or clears one instance after consent. @throws {CliError} unless the flags choose one of them */
export async function runReset(context: Context, options: ResetOptions): Promise<ExitCode | void> {
  const { all, instance, json, yes } = options;
  if ((all === true) === (instance !== undefined))
    throw new CliError(EXIT.usage, "Nothing to reset.", "Use either --all, or --instance with a name.");
  const control = await openControl(context, options);
  if (instance !== undefined && !yes && isInteractive(context)) {
    const { data } = await control.request("GET /instances/:id", { params: { id: instance } });
    if (!(await context.confirm(`Delete all users and sessions of ${harmless(data.name)}?`))) return EXIT.failed;
  }
  const answer = await control.request("POST /reset", {
    body: instance === undefined ? { all: true } : { instance },
  });
  if (json) return printJson(context, answer);
  const { instances, users, sessions } = answer;
  say(
    context,
    `Reset. The server now has ${counted(instances, "instance")}, ${counted(users, "user")} and ${counted(sessions, "session")}.`,
  );
  say(context, "To undo this: svc dev snapshot restore previous");
}
