import type { Command } from "commander";
import { openClient } from "../../connection/client.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { LIST_EXITS, type ExitCode } from "../../exit-codes.ts";
import { SESSION_COLUMNS } from "../../list/columns.ts";
import { addListFlags, shapeOf, type ListFlags } from "../../list/flags.ts";
import { printPages } from "../../list/print-pages.ts";
import { printsRows } from "../../output/flags.ts";

export type ListOptions = GlobalFlags & ListFlags;

export function addList(sessions: Command, context: Context): void {
  const command = printsRows(sessions.command("list")).description("print all sessions, the most recent sign-in first");
  withHelp(addListFlags(command, SESSION_COLUMNS), {
    examples: [
      ["svc sessions list --limit 20", "the 20 most recent sessions"],
      ["svc sessions list --output csv --bom > sessions.csv", "all sessions, for Excel"],
    ],
    exits: LIST_EXITS,
  });
  runs(command, (options: ListOptions) => runList(context, options));
}

/** Prints all sessions. @returns the exit code */
export async function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const shape = shapeOf(options, SESSION_COLUMNS);
  const client = await openClient(context, options);
  const list = (page: object) => client.sessions.list(page);
  return printPages(context, options, SESSION_COLUMNS, shape, list, "There are no sessions yet.");
}
