import type { Command } from "commander";
import type { GlobalFlags } from "../../connection/client-options.ts";
import { openControl } from "../../connection/control.ts";
import type { Context } from "../../context.ts";
import { withHelp } from "../../help/with-help.ts";
import { printAll } from "../../list/print.ts";
import { printsRows, type OutputFlags } from "../../output/flags.ts";
import { runs } from "../../program.ts";
import { OUTCOME_COLUMNS } from "./columns.ts";
import { DEV_EXITS } from "./exits.ts";

export type OutcomesOptions = GlobalFlags & OutputFlags;

export function addOutcomes(dev: Command, context: Context): void {
  const command = printsRows(dev.command("outcomes")).description("print the ways in which a sign-in can end");
  withHelp(command, {
    examples: [
      ["svc dev outcomes", "what each does, and what the application sees"],
      ["svc dev outcomes --output ids", "only their names"],
    ],
    exits: DEV_EXITS,
  });
  runs(command, (options: OutcomesOptions) => runOutcomes(context, options));
}

/** Prints the catalogue of the server. */
export async function runOutcomes(context: Context, options: OutcomesOptions): Promise<void> {
  const rows = await (await openControl(context, options)).request("GET /outcomes");
  await printAll(context, options, OUTCOME_COLUMNS, rows, "");
}
