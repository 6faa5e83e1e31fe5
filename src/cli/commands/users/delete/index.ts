import type { Command } from "commander";
import { collect, runs } from "../../../command.ts";
import type { Context, Surroundings } from "../../../context.ts";
import type { ExitCode } from "../../../errors.ts";
import { printsRows } from "../../../output/flags.ts";
import type { DeleteOptions } from "./targets.ts";

export function addDelete(users: Command, context: Surroundings): void {
  const command = printsRows(
    users
      .command("delete")
      .argument("[user...]", "ids or e-mail addresses; - reads them from standard input, one a line"),
  )
    .description("delete users with all their identities and sessions; this cannot be undone")
    .option("--file <file>", "read ids or e-mail addresses from a file, one a line")
    .option("--column <name>", "read them from this column of a spreadsheet in CSV, whose first line names the columns")
    .option("-n, --dry-run", "print the users that would be deleted, without deleting them")
    .option("-y, --yes", "do not ask for confirmation; a query needs --expect as well")
    .option("--expect <number>", "abort unless exactly <number> users match")
    .option("--max <number>", "abort if more than <number> users match", "100")
    .option("--receipt <file>", "record each deletion in a new file, as lines of JSON")
    .option("--query <query>", "a whole query in one argument", collect);
  runs(command, context, { on: "instance", changes: true }, runDelete, {
    examples: [
      ["svc users delete ada@acme.test", "one user, after confirmation"],
      ["svc users delete --query 'email:*@acme.test' --dry-run", "preview"],
      ["svc users delete --query 'email:*@acme.test' --yes --expect 3", "in a script, if exactly three match"],
      ["svc users delete --file leavers.txt --receipt done.ndjson", "a list of addresses, after confirmation"],
    ],
    notes: `An address must be that of one user exactly; in a list it may also be no one's. --yes needs a service that is named:
the current profile is not enough. After an interruption, delete the same list again: who is gone does no harm. Snapshots and backups made before keep a deleted user; of a file store, db.json and its journal do until the
next compaction.`,
  });
}

export async function runDelete(
  context: Context,
  options: DeleteOptions,
  ids: readonly string[],
): Promise<ExitCode | void> {
  // Loaded here, so that the other commands start fast.
  const { deleteUsers } = await import("./run.ts");
  return deleteUsers(context, options, ids);
}
