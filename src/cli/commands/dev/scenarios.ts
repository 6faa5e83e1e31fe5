import type { Command } from "commander";
import { openControl } from "../../connection/control.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { DEV_EXITS } from "../../errors.ts";
import { printAll } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { counted, printJson } from "../../output/text.ts";
import { SCENARIO_COLUMNS, OUTCOME_COLUMNS } from "./columns.ts";

export interface ScenariosOptions extends GlobalFlags {
  readonly clear?: boolean;
}

export function addScenarios(dev: Command, context: Context): void {
  const command = printsRows(dev.command("scenarios"))
    .description("print the scenarios, newest first")
    .option("--clear", "delete them all");
  withHelp(command, {
    examples: [
      ["svc dev scenarios", "those that wait, and those that were met"],
      ["svc dev scenarios --clear", "delete them all"],
    ],
    exits: DEV_EXITS,
    notes: "To add one: svc dev next",
  });
  runs(command, (options: ScenariosOptions) => runScenarios(context, options));
}

/** Prints the scenarios, or deletes them. */
export async function runScenarios(context: Context, options: ScenariosOptions): Promise<void> {
  const control = await openControl(context, options);
  if (!options.clear) {
    const rows = control.rows("GET /scenarios");
    return printAll(context, options, SCENARIO_COLUMNS, rows, "There are no scenarios. Add one with: svc dev next");
  }
  const answer = await control.request("DELETE /scenarios");
  if (options.json) return printJson(context, answer);
  context.stderr.write(`Deleted ${counted(answer.ids.length, "scenario")}.\n`);
}

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
