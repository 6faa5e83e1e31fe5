import { fold } from "../../../../wire/fold.ts";
import { retriesOf, timeoutMs } from "../../../connection/client-options.ts";
import { openTarget } from "../../../connection/client.ts";
import type { Target } from "../../../connection/sources.ts";
import { describeTarget, resolveTarget } from "../../../connection/target.ts";
import type { Context } from "../../../context.ts";
import { CliError } from "../../../errors.ts";
import { EXIT } from "../../../exit-codes.ts";
import { isTable } from "../../../list/print.ts";
import { formatOf } from "../../../output/flags.ts";
import { numberFrom } from "../../../number.ts";
import { counted } from "../../../output/format.ts";
import { say } from "../../../output/text.ts";
import { deleteAll } from "./delete-all.ts";
import { dryRun, isNone, notFound, nothingToDelete } from "./dry-run.ts";
import { checkCount, checkFlags, obtainConsent, type Guards } from "./guards.ts";
import { MAX_CONCURRENCY, type DeleteOptions } from "./options.ts";
import { openReceipt, type Receipt } from "./receipt.ts";
import { report } from "./report.ts";
import { findUsers, readTargets } from "./targets.ts";

/** Deletes the users that ids or a query name, after consent. @throws {CliError} before and after, with the exit code */
export async function deleteUsers(context: Context, options: DeleteOptions, args: readonly string[]): Promise<void> {
  const guards = guardsOf(options);
  const concurrency = numberFrom("--concurrency", options.concurrency, 1, MAX_CONCURRENCY);
  if (options.resume && options.receipt === undefined)
    throw new CliError(EXIT.usage, "--resume needs --receipt.", "Name the receipt of the interrupted run.");
  const target = await resolveTarget(context, options);
  const client = await openTarget(context, target);
  const targets = await readTargets(context, client, args, options);
  if (options.dryRun) return dryRun(context, client, options, targets, guards, target);
  const { ids } = targets;
  checkCount(targets, guards, target);
  if (isNone(targets)) {
    say(context, nothingToDelete(targets));
    // A person has read it. A program gets the form that it knows.
    return isTable(formatOf(options, context)) ? undefined : report(context, options, { outcomes: [] });
  }
  checkFlags(targets, guards, target);
  const { length: count } = ids;
  // One id alone is deleted without being read, unless a person or a receipt is to be told whose it is.
  const isRead = count > 1 || options.receipt !== undefined || targets.users.size > 0;
  const users = isRead ? await findUsers(client, targets) : [];
  // The question names the service as well.
  if (guards.yes || count === 0) say(context, `Deleting from ${describeTarget(target)}`);
  else await obtainConsent(context, client, targets, users, guards, target);

  const receipt = await openReceiptFor(context, options, target);
  const emails = new Map(users.map(({ id, data }) => [id, data.email]));
  const isLeft = (name: string): boolean => !receipt?.done.has(fold(name));
  const [left, strangers] = [ids.filter(isLeft), targets.strangers.filter(isLeft)];
  const skipped = count + targets.strangers.length - left.length - strangers.length;
  if (skipped > 0)
    say(
      context,
      `Skipped ${skipped} of ${counted(count + targets.strangers.length, "user")} that the receipt lists as deleted.`,
    );
  const missing = isRead || strangers.length > 0 ? notFound({ ids: left, strangers }, emails) : undefined;
  if (missing !== undefined) say(context, missing);
  const deletion = await deleteAll(context, left, {
    concurrency,
    receipt,
    emails,
    retries: retriesOf(context, RETRIES),
    withinMs: timeoutMs(context),
    remove: (id) => client.users.delete(id),
  });
  const gone = strangers.map((address) => ({ id: address, outcome: "gone" as const }));
  await report(context, options, { ...deletion, outcomes: [...deletion.outcomes, ...gone] });
}

/** More than for other requests: a list should not end at the first connection that breaks. */
const RETRIES = 4;

async function openReceiptFor(
  context: Context,
  { receipt: path, resume = false }: DeleteOptions,
  { base_url, api_url }: Target,
): Promise<Receipt | undefined> {
  return path === undefined ? undefined : openReceipt(context, { path, service: (base_url ?? api_url)!.value, resume });
}

function guardsOf({ yes, expect, max }: DeleteOptions): Guards {
  return {
    yes: yes === true,
    max: numberFrom("--max", max, 1, 999_999_999),
    ...(expect !== undefined && { expect: numberFrom("--expect", expect, 0, 999_999_999) }),
  };
}
