import type { Command } from "commander";
import { runs } from "../../../command.ts";
import type { Context } from "../../../context.ts";
import { UsageError, EXIT, LIST_EXITS, type ExitCode } from "../../../errors.ts";
import { printsRows } from "../../../output/flags.ts";
import { EXPLAIN_FLAG, printExplanation } from "../../../search/explain.ts";
import { addQueryFlags, USERS } from "../../../search/flags.ts";
import { MAX_CONCURRENCY, type DeleteOptions } from "./options.ts";

export function addDelete(users: Command, context: Context): void {
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
    .option("--concurrency <number>", `parallel requests, at most ${MAX_CONCURRENCY}`, "4")
    .option("--receipt <file>", "record each deletion in a new file, as lines of JSON")
    .option("--resume", "continue the receipt of an interrupted run")
    .option("--status", "print whether the run that wrote the receipt has finished, without deleting");
  runs(addQueryFlags(command).option(...EXPLAIN_FLAG), context, runDelete, {
    examples: [
      ["svc users delete 7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "delete one user, after confirmation"],
      ["svc users delete ada@acme.test", "the same by e-mail address"],
      ["svc users delete --query 'email:*@acme.test' --dry-run", "preview"],
      ["svc users delete --query 'email:*@acme.test' --yes --expect 3", "in a script, if exactly three match"],
      ["svc users delete --file leavers.txt --receipt done.ndjson", "a list of addresses, after confirmation"],
      ["svc users delete --file leavers.csv --column email", "a column of a spreadsheet"],
      ["svc users delete - --yes --receipt done.ndjson < ids.txt", "a list in a script"],
      ["svc users delete --receipt done.ndjson --status", "whether it has finished"],
    ],
    exits: [...LIST_EXITS, EXIT.someFailed, EXIT.precondition, EXIT.interrupted],
    notes: `An address must be that of one user exactly; in a list it may also be no one's. Confirm one user with yes or no,
several by typing their number; the question names the service. With --yes it has to be named, by a flag, a variable or a
local server: the current profile is not enough. Ctrl-C finishes the deletions in progress, and prints what was deleted.

Each deletion of a user who exists is repeated if the connection breaks or the service is unavailable, 4 times unless --retries
says otherwise. To delete the rest of a list later, use --receipt and --resume.

With --json the form is the same for one user and for many, for ids from any source, and with --dry-run: an object with the
service, its instance and the lists deleted, gone, failed, unknown and not_attempted. gone are ids and addresses that were
not found, most likely because they were deleted before: they are failures, with exit code 3, only if none of the users exist.`,
  });
}

export async function runDelete(
  context: Context,
  options: DeleteOptions,
  ids: readonly string[],
): Promise<ExitCode | void> {
  if (options.status) {
    if (options.receipt === undefined || ids.length > 0 || options.file !== undefined || options.query !== undefined)
      throw new UsageError("--status takes --receipt and nothing else.", "To delete, omit --status.");
    return (await import("./receipt.ts")).printStatus(context, options, options.receipt);
  }
  if (options.explain) {
    if (ids.length > 0 || options.file !== undefined)
      throw new UsageError("--explain explains a query. Omit the ids.", "To preview them: --dry-run");
    return printExplanation(context, USERS, [], options);
  }
  // Loaded here, so that the other commands start fast.
  const { deleteUsers } = await import("./run.ts");
  return deleteUsers(context, options, ids);
}
