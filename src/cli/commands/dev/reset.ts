import type { Command } from "commander";
import { openControl } from "../../connection/control.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { DEV_EXITS, EXIT } from "../../exit-codes.ts";
import { printJson, say } from "../../output/text.ts";

export interface ResetOptions extends GlobalFlags {
  readonly all?: boolean;
}

export function addReset(dev: Command, context: Context): void {
  const command = dev
    .command("reset")
    .description("go back to the seed, or empty one instance")
    .option("--all", "all records as the seed has them, the real time, and no scenarios");
  withHelp(command, {
    examples: [
      ["svc dev reset --all", "as after svc serve --reset, with the same ids and keys"],
      ["svc dev reset --instance globex", "delete the users and sessions of one instance"],
      ["svc dev snapshot restore previous", "undo it"],
    ],
    exits: DEV_EXITS,
    notes: "What there was before is saved as the snapshot previous. Snapshots stay.",
  });
  runs(command, (options: ResetOptions) => runReset(context, options));
}

/** Goes back to the seed, or empties one instance. @throws {CliError} unless one of the two is asked for */
export async function runReset(context: Context, options: ResetOptions): Promise<void> {
  const { all, instance, json } = options;
  if ((all === true) === (instance !== undefined))
    throw new CliError(EXIT.usage, "Say what to reset.", "Use either --all, or --instance with a name.");
  const control = await openControl(context, options);
  const answer = await control.request("POST /reset", {
    body: instance === undefined ? { all: true } : { instance },
  });
  if (json) return printJson(context, answer);
  const { instances, users, sessions } = answer;
  say(context, `Reset. Now there are ${instances} instances, ${users} users and ${sessions} sessions.`);
  say(context, "To undo this: svc dev snapshot restore previous");
}
