import type { Command } from "commander";
import { openClient } from "../../connection/client.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { LIST_EXITS, type ExitCode } from "../../exit-codes.ts";
import { USER_COLUMNS } from "../../list/columns.ts";
import { addListFlags, shapeOf, type ListFlags } from "../../list/flags.ts";
import { printPages } from "../../list/print-pages.ts";
import { printsRows } from "../../output/flags.ts";

export type ListOptions = GlobalFlags & ListFlags;

export function addList(users: Command, context: Context): void {
  const command = printsRows(users.command("list")).description("print all users, newest first");
  withHelp(addListFlags(command, USER_COLUMNS), {
    examples: [
      ["svc users list --limit 20", "the 20 newest users"],
      ["svc users list --output csv --bom > users.csv", "all users, for Excel"],
      ["svc users list --count", "the number of users"],
    ],
    exits: LIST_EXITS,
  });
  runs(command, (options: ListOptions) => runList(context, options));
}

/** Prints all users. @returns the exit code */
export async function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const shape = shapeOf(options, USER_COLUMNS);
  const client = await openClient(context, options);
  return printPages(
    context,
    options,
    USER_COLUMNS,
    shape,
    (page) => client.users.list(page),
    "There are no users yet.",
  );
}
