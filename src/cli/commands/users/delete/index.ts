import type { Command } from "commander";
import { openTarget } from "../../../connection/client.ts";
import { describeTarget, resolveTarget } from "../../../connection/target.ts";
import { runs, withHelp, type GlobalFlags } from "../../../command.ts";
import type { Context } from "../../../context.ts";
import { CliError } from "../../../errors.ts";
import { EXIT, LIST_EXITS } from "../../../exit-codes.ts";
import { USER_COLUMNS } from "../../../list/columns.ts";
import { isTable, printAll } from "../../../list/print.ts";
import { formatOf, printsRows } from "../../../output/flags.ts";
import { say } from "../../../output/text.ts";
import { addQueryFlags, USERS, type SearchFlags } from "../../../search/flags.ts";
import { nothingFound } from "../../../search/help.ts";
import { deleteAll } from "./delete-all.ts";
import { checkCount, checkFlags, DEFAULT_MAX, findAll, obtainConsent, type Guards } from "./guards.ts";
import { openReceipt } from "./receipt.ts";
import { reportMany, reportOne } from "./report.ts";
import { readTargets } from "./targets.ts";

const MAX_CONCURRENCY = 32;

export interface DeleteOptions extends SearchFlags, GlobalFlags {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly expect?: string;
  readonly max: string;
  readonly concurrency: string;
  readonly receipt?: string;
  readonly resume?: boolean;
}

export function addDelete(users: Command, context: Context): void {
  const command = printsRows(
    users
      .command("delete")
      .argument("[user...]", "ids or e-mail addresses; - reads ids from standard input, one a line"),
  )
    .description("delete users with all their identities and sessions; this cannot be undone")
    .option("-n, --dry-run", "print the users that would be deleted, without deleting them")
    .option("-y, --yes", "do not ask for confirmation; a query needs --expect as well")
    .option("--expect <number>", "abort unless exactly <number> users match")
    .option("--max <number>", "abort if more than <number> users match", String(DEFAULT_MAX))
    .option("--concurrency <number>", `parallel requests, at most ${MAX_CONCURRENCY}`, "4")
    .option("--receipt <file>", "record each deletion in a new file, as lines of JSON")
    .option("--resume", "continue the receipt of an interrupted run");
  withHelp(addQueryFlags(command), {
    examples: [
      ["svc users delete 7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "delete one user, after confirmation"],
      ["svc users delete ada@acme.com", "the same by e-mail address"],
      ["svc users delete --query 'email:*@acme.com' --dry-run", "preview"],
      ["svc users delete --query 'email:*@acme.com' --yes --expect 3", "in a script, if exactly three match"],
      ["svc users delete - --yes --receipt done.ndjson < ids.txt", "a list, with a receipt"],
    ],
    exits: [...LIST_EXITS, EXIT.someFailed, EXIT.precondition, EXIT.interrupted],
    notes: `An address must be that of one user exactly. Confirm one user with yes or no,
several by typing their number; the question names the service. With --yes it has
to be named, by a flag, a variable or a local server: the current profile is not
enough. Ctrl-C finishes the deletions in progress, and prints what was deleted.
With several users, already-deleted ones do not count as failures.`,
  });
  runs(command, (options: DeleteOptions, ids: string[]) => runDelete(context, options, ids));
}

/** Deletes the users that ids or a query name, after consent. @throws {CliError} before and after, with the exit code */
export async function runDelete(context: Context, options: DeleteOptions, args: readonly string[]): Promise<void> {
  const guards = guardsOf(options);
  const concurrency = numberOf("--concurrency", options.concurrency, 1, MAX_CONCURRENCY);
  if (options.resume && options.receipt === undefined)
    throw new CliError(EXIT.usage, "--resume needs --receipt.", "Name the receipt of the interrupted run.");
  const target = await resolveTarget(context, options);
  const client = await openTarget(context, target);
  const targets = await readTargets(context, client, args, options);
  const { ids, typed } = targets;
  if (options.dryRun) {
    // A preview may exceed --max: that is what it is for.
    checkCount(targets, { ...guards, max: Infinity }, target);
    const found = targets.users ?? (await findAll(client, ids));
    const missing = ids.length - found.length;
    if (missing > 0)
      context.stderr.write(`${missing} of ${ids.length} ids ${missing === 1 ? "was" : "were"} not found.\n`);
    const none = typed === undefined ? "No users would be deleted." : nothingFound(typed, USERS);
    await printAll(context, options, USER_COLUMNS, found, none);
    if (found.length === 1) say(context, "1 user would be deleted; none was.");
    if (found.length > 1) say(context, `${found.length} users would be deleted; none were.`);
    return;
  }
  checkCount(targets, guards, target);
  if (ids.length === 0) {
    say(context, typed === undefined ? "No ids on standard input." : nothingFound(typed, USERS));
    // A person has read it; a program finds the form that it knows.
    return isTable(formatOf(options, context)) ? undefined : reportMany(context, options, { outcomes: [] });
  }
  checkFlags(targets, guards, target);
  // The question names the service as well.
  if (guards.yes) say(context, `Deleting from ${describeTarget(target)}`);
  else await obtainConsent(context, client, targets, guards, target);

  const receipt =
    options.receipt === undefined
      ? undefined
      : await openReceipt(context, {
          path: options.receipt,
          service: (target.base_url ?? target.api_url)!.value,
          resume: options.resume === true,
        });
  const emails = new Map(targets.users?.map(({ id, data }) => [id, data.email]));
  const left = ids.filter((id) => !receipt?.done.has(id));
  if (left.length < ids.length)
    context.stderr.write(`${ids.length - left.length} of ${ids.length} were deleted before, by the receipt.\n`);
  const deletion = await deleteAll(context, left, {
    concurrency,
    receipt,
    emailOf: async (id) => emails.get(id) ?? (await client.users.find(id))?.data.email,
    remove: (id) => client.users.delete(id),
  });
  // For one id, the answer is the API's own.
  if (args.length !== 1 || targets.tookStdin || left.length !== 1) return reportMany(context, options, deletion);
  if (deletion.error !== undefined && deletion.fault === undefined) throw deletion.error;
  if (deletion.fault !== undefined || deletion.signal !== undefined) return reportMany(context, options, deletion);
  await reportOne(context, options, ids[0]!);
}

function guardsOf({ yes, expect, max }: DeleteOptions): Guards {
  return {
    yes: yes === true,
    max: numberOf("--max", max, 1, 999_999_999),
    ...(expect !== undefined && { expect: numberOf("--expect", expect, 0, 999_999_999) }),
  };
}

function numberOf(flag: string, text: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (number < least || number > most)
    throw new CliError(EXIT.usage, `${flag}: "${text}" is not a number from ${least} to ${most}.`);
  return number;
}
