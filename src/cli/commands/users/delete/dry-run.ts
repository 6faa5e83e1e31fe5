import type { Client } from "../../../../client/client.ts";
import type { Target } from "../../../connection/sources.ts";
import type { Context } from "../../../context.ts";
import { USER_COLUMNS } from "../../../list/columns.ts";
import { isTable, printAll } from "../../../list/print.ts";
import { counted } from "../../../output/format.ts";
import { formatOf, type OutputFlags } from "../../../output/flags.ts";
import { say } from "../../../output/text.ts";
import { USERS } from "../../../search/flags.ts";
import { nothingFound } from "../../../search/help.ts";
import { checkCount, findAll, type Guards } from "./guards.ts";
import type { Targets } from "./targets.ts";

/** Prints the users that would be deleted, however many. @throws {CliError} if their number is not the expected one */
export async function dryRun(
  context: Context,
  client: Client,
  flags: OutputFlags,
  targets: Targets,
  guards: Guards,
  target: Target,
): Promise<void> {
  checkCount(targets, { ...guards, max: Infinity }, target);
  const { ids } = targets;
  const found = targets.users ?? (await findAll(client, ids));
  const missing = ids.length - found.length;
  if (missing > 0)
    say(context, `${missing} of ${counted(ids.length, "id")} ${missing === 1 ? "was" : "were"} not found.`);
  if (found.length > 0 || !isTable(formatOf(flags, context))) await printAll(context, flags, USER_COLUMNS, found, "");
  say(
    context,
    ids.length === 0 ? nothingToDelete(targets) : `Dry run: ${counted(found.length, "user")} would be deleted.`,
  );
}

/** Why there is nothing to delete. */
export function nothingToDelete({ typed }: Targets): string {
  return typed === undefined ? "No ids on standard input." : nothingFound(typed, USERS);
}
