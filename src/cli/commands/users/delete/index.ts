import type { Command } from "commander";
import { keyedClientOptions, type GlobalFlags } from "../../../connection/client-options.ts";
import type { Context } from "../../../context.ts";
import { checkCount, DEFAULT_MAX, findAll, obtainConsent, type Guards } from "./guards.ts";
import { reportMany, reportOne } from "./report.ts";
import { deleteAll } from "./delete-all.ts";
import { readTargets } from "./targets.ts";
import { CliError, EXIT } from "../../../errors.ts";
import { withHelp } from "../../../help/with-help.ts";
import { USER_COLUMNS } from "../../../list/columns.ts";
import { printAll } from "../../../list/print.ts";
import { printsRows, type OutputFlags } from "../../../output/flags.ts";
import type { Program } from "../../../program.ts";
import { addQueryFlags, type SearchFlags } from "../../../search/flags.ts";
import { openClient } from "../../../connection/client.ts";

const MAX_CONCURRENCY = 32;

interface DeleteFlags extends SearchFlags {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly expect?: string;
  readonly max: string;
  readonly concurrency: string;
  readonly receipt?: string;
}

export function addUsersDelete(users: Command, program: Program, context: Context): void {
  const command = printsRows(
    users.command("delete").argument("[id...]", "their ids; - reads them from standard input, a line each"),
  )
    .description("delete users with all identities and sessions; this cannot be undone")
    .option("-n, --dry-run", "print who would be deleted, and delete nobody")
    .option("-y, --yes", "do not ask; with a query, --expect has to say how many it is")
    .option("--expect <number>", "delete nobody unless it is exactly so many")
    .option("--max <number>", "delete nobody if it is more than so many", String(DEFAULT_MAX))
    .option("--concurrency <number>", `so many at the same time, at most ${MAX_CONCURRENCY}`, "4")
    .option("--receipt <file>", "write what became of each to a new file, a line of JSON each");
  withHelp(addQueryFlags(command), {
    examples: [
      ["svc users delete 7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "asks, then deletes one"],
      ["svc users delete --query 'email:*@acme.com' --dry-run", "prints whom it would be"],
      ["svc users delete --query 'email:*@acme.com' --yes --expect 3", "in a script, if it is these three"],
      ["svc users delete - --yes --receipt done.ndjson < ids.txt", "a list, with a receipt"],
    ],
    exits: [
      EXIT.done,
      EXIT.failed,
      EXIT.usage,
      EXIT.notFound,
      EXIT.noKey,
      EXIT.someFailed,
      EXIT.unreachable,
      EXIT.precondition,
      EXIT.interrupted,
    ],
    notes: `To delete one, the answer is yes or no; to delete several, their number has to be
typed. Ctrl-C finishes what was begun, and says what was deleted and what was not.
Of several, one who is gone already is no failure.`,
  }).action(async (args: string[], own: DeleteFlags) => {
    const flags = program.opts<GlobalFlags & OutputFlags>();
    const guards = guardsOf(own);
    const concurrency = numberOf("--concurrency", own.concurrency, 1, MAX_CONCURRENCY);
    const client = await openClient(context, flags);
    const targets = await readTargets(context, client, args, own);
    const { ids, query } = targets;
    if (own.dryRun) {
      // Whoever would be too many is to be seen.
      checkCount(targets, { ...guards, max: Infinity });
      const found = targets.users ?? (await findAll(client, ids));
      const missing = ids.length - found.length;
      if (missing > 0)
        context.stderr.write(`${missing} of ${ids.length} ids ${missing === 1 ? "belongs" : "belong"} to nobody.\n`);
      return printAll(context, flags, USER_COLUMNS, found, "Nobody would be deleted.");
    }
    checkCount(targets, guards);
    if (ids.length === 0) {
      context.stderr.write(`${query === undefined ? "There was no id on standard input." : "No users match."}\n`);
      return reportMany(context, flags, { outcomes: [] });
    }
    const { baseUrl, apiUrl = "" } = await keyedClientOptions(context, flags);
    await obtainConsent(context, client, targets, guards, baseUrl ?? apiUrl);

    const run = { concurrency, receiptFile: own.receipt };
    const deletion = await deleteAll(context, ids, run, (id) => client.users.delete(id));
    // Of one that is named, the answer is the API's own.
    if (args.length !== 1 || targets.tookStdin) return reportMany(context, flags, deletion);
    if (deletion.error !== undefined) throw deletion.error;
    if (deletion.fault !== undefined || deletion.signal !== undefined) return reportMany(context, flags, deletion);
    await reportOne(context, flags, ids[0]!);
  });
}

function guardsOf({ yes, expect, max }: DeleteFlags): Guards {
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
