import { fold } from "../../../../wire/text/fold.ts";
import { openTarget } from "../../../connection/client.ts";
import { describeInstance, resolveTarget } from "../../../connection/target.ts";
import type { Context } from "../../../context.ts";
import { UsageError, CliError, EXIT } from "../../../errors.ts";
import { isTable } from "../../../list/print.ts";
import { formatOf } from "../../../output/flags.ts";
import { isInteractive } from "../../../output/prompts.ts";
import { counted, harmless, say } from "../../../output/text.ts";
import { numberFrom } from "../../../quantities.ts";
import { checkCount, checkFlags, obtainConsent, withNeighbours, type Guards } from "./consent.ts";
import { deleteAll } from "./delete-all.ts";
import { MAX_CONCURRENCY, type DeleteOptions } from "./options.ts";
import { checkPlace, doneIn, openReceipt, readReceipt, resultsIn, type Place, type Recorded } from "./receipt.ts";
import { dryRun, isNone, nothingToDelete, report, sayMissing } from "./report.ts";
import { readTargets, withUsers, type Targets } from "./targets.ts";

/** Deletes the users that ids or a query name, after consent. @throws {CliError} before and after, with the exit code */
export async function deleteUsers(context: Context, options: DeleteOptions, args: readonly string[]): Promise<void> {
  const { expect } = options;
  const guards: Guards = {
    yes: options.yes === true,
    max: numberFrom("--max", options.max, 1, 999_999_999),
    expect: expect === undefined ? undefined : numberFrom("--expect", expect, 0, 999_999_999),
  };
  const concurrency = numberFrom("--concurrency", options.concurrency, 1, MAX_CONCURRENCY);
  if (options.resume && options.receipt === undefined)
    throw new UsageError("--resume needs --receipt.", "Name the receipt of the interrupted run.");
  const target = await withNeighbours(context, options, await resolveTarget(context, options));
  const client = await openTarget(context, target);
  const named = await readTargets(context, client, args, options);
  checkCount(named, options.dryRun ? { ...guards, max: Infinity } : guards, target);
  if (!options.dryRun && !isNone(named)) checkFlags(named, guards, target);
  const all = await withUsers(client, named);
  const place: Place = { service: (target.base_url ?? target.api_url)!.value, instance: context.network.instance };
  const recorded = await recordedBy(context, options, place);
  const targets = recorded === undefined ? all : withoutDone(context, all, recorded);
  if (options.dryRun) return dryRun(context, options, targets, place);
  if (isNone(targets)) {
    say(context, isNone(all) ? nothingToDelete(all) : "Nothing is left to delete.");
    // A person has read it. A program gets the form that it knows.
    return isTable(formatOf(options, context)) ? undefined : report(context, options, { outcomes: [] }, place);
  }
  const service = describeInstance(context, target);
  // The question names the service as well.
  if (guards.yes || targets.ids.length === 0) say(context, `Deleting from ${service}`);
  else await obtainConsent(context, targets, guards, { target, service });

  const { ids, strangers } = targets;
  const receipt = recorded && (await openReceipt(context, recorded, place, ids.length));
  sayMissing(context, targets);
  const deletion = await deleteAll(context, client, targets, concurrency, receipt);
  const gone = strangers.map((address) => ({ id: address, outcome: "gone" as const }));
  await report(context, options, { ...deletion, outcomes: [...deletion.outcomes, ...gone] }, place);
}

/**
 * The receipt to write, or to continue with `--resume` or after a question.
 * @throws {CliError} for one that is in the way, or of another service or instance
 */
async function recordedBy(
  context: Context,
  { receipt: path, resume, dryRun: isDry }: DeleteOptions,
  place: Place,
): Promise<Recorded | undefined> {
  if (path === undefined || (isDry && !resume)) return undefined;
  const recorded = await readReceipt(context, path);
  if (recorded.entries === undefined) return recorded;
  if (!resume) {
    const count = resultsIn(recorded).filter(({ outcome }) => outcome === "deleted").length;
    const question = `${harmless(`"${path}"`)} records ${counted(count, "deletion")}. Continue it?`;
    if (!isInteractive(context) || !(await context.confirm(question)))
      throw new CliError(
        EXIT.precondition,
        `--receipt: "${path}" already exists. No users were deleted.`,
        "Name another file, or continue this one with --resume.",
      );
  }
  checkPlace(recorded, place);
  return recorded;
}

/** What a receipt does not record as deleted, and who is there again although it does. */
function withoutDone(context: Context, targets: Targets, recorded: Recorded): Targets {
  const done = doneIn(recorded);
  const ids = targets.ids.filter((id) => targets.users.has(id) || !done.has(fold(id)));
  const strangers = targets.strangers.filter((address) => !done.has(fold(address)));
  const total = targets.ids.length + targets.strangers.length;
  const skipped = total - ids.length - strangers.length;
  if (skipped > 0) say(context, `Skipped ${skipped} of ${counted(total, "user")} that the receipt lists as deleted.`);
  return { ...targets, ids, strangers };
}
