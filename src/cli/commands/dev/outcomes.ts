import type { Command } from "commander";
import { openControl } from "../../connection/control.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { DEV_EXITS } from "../../exit-codes.ts";
import { printAll } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { OUTCOME_COLUMNS } from "./columns.ts";

export function addOutcomes(dev: Command, context: Context): void {
  const command = printsRows(dev.command("outcomes")).description("print the ways in which a sign-in can end");
  withHelp(command, {
    examples: [
      ["svc dev outcomes", "what each does, and what the application sees"],
      ["svc dev outcomes --output ids", "only their names"],
    ],
    exits: DEV_EXITS,
  });
  runs(command, (options: GlobalFlags) => runOutcomes(context, options));
}

/** Prints the catalogue of the server. */
export async function runOutcomes(context: Context, options: GlobalFlags): Promise<void> {
  const rows = await (await openControl(context, options)).request("GET /outcomes");
  await printAll(context, options, OUTCOME_COLUMNS, rows, "");
}
