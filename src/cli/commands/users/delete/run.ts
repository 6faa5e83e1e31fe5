import { openTarget } from "../../../connection/client.ts";
import { describeTarget, instanceInWords, resolveTarget } from "../../../connection/target.ts";
import type { Context } from "../../../context.ts";
import { isTable } from "../../../list/print.ts";
import { formatOf } from "../../../output/flags.ts";
import { say } from "../../../output/text.ts";
import { numberFrom } from "../../../quantities.ts";
import { checkCount, checkFlags, obtainConsent, type Guards } from "./consent.ts";
import { deleteAll, openReceipt, type Place } from "./delete-all.ts";
import { dryRun, isNone, nothingToDelete, report, sayMissing } from "./report.ts";
import { readTargets, withUsers, type DeleteOptions } from "./targets.ts";

/** Deletes the users that ids or a query name, after consent. @throws {CliError} before and after, with the exit code */
export async function deleteUsers(context: Context, options: DeleteOptions, args: readonly string[]): Promise<void> {
  const guards = guardsOf(options);
  const target = await resolveTarget(context, options);
  const client = await openTarget(context, target);
  const named = await readTargets(context, client, args, options);
  checkCount(named, options.dryRun ? { ...guards, max: Infinity } : guards, target);
  if (!options.dryRun && !isNone(named)) checkFlags(named, guards, target);
  const targets = await withUsers(client, named);
  const place: Place = { service: (target.base_url ?? target.api_url)!.value, instance: context.network.instance };
  if (options.dryRun) return dryRun(context, options, targets, place);
  if (isNone(targets)) {
    say(context, nothingToDelete(targets));
    // A person has read it. A program gets the form that it knows.
    return isTable(formatOf(options, context)) ? undefined : report(context, options, { outcomes: [] }, place);
  }
  const service = `${describeTarget(target)}, ${instanceInWords(context.network.instance)}`;
  // The question names the service as well.
  if (guards.yes || targets.ids.length === 0) say(context, `Deleting from ${service}`);
  else await obtainConsent(context, targets, guards, { target, service });

  const { ids, strangers } = targets;
  const receipt =
    options.receipt === undefined ? undefined : await openReceipt(context, options.receipt, place, ids.length);
  sayMissing(context, targets);
  const deletion = await deleteAll(context, client, targets, receipt);
  const gone = strangers.map((address) => ({ id: address, outcome: "gone" as const }));
  await report(context, options, { ...deletion, outcomes: [...deletion.outcomes, ...gone] }, place);
}

function guardsOf({ instance, yes = false, max, expect }: DeleteOptions): Guards {
  return {
    instance,
    yes,
    max: numberFrom("--max", max, 1, 999_999_999),
    expect: expect === undefined ? undefined : numberFrom("--expect", expect, 0, 999_999_999),
  };
}
