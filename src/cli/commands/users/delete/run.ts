import { openTarget } from "../../../connection/client.ts";
import { explainFailure } from "../../../connection/explain-failure.ts";
import { describeTarget, instanceInWords, whereDone, resolveTarget } from "../../../connection/target.ts";
import { limitsOf } from "../../../connection/consent.ts";
import type { Context } from "../../../context.ts";
import { CliError, EXIT, EXIT_BY_SIGNAL } from "../../../errors.ts";
import { toFailure } from "../../../failure.ts";
import { USER_COLUMNS, type Listed } from "../../../list/columns.ts";
import { isTable, printList } from "../../../list/print.ts";
import { formatOf, type OutputFlags } from "../../../output/flags.ts";
import { counted, printJson, say } from "../../../output/text.ts";
import { sayNotFound } from "../look-up.ts";
import { checkCount, checkFlags, obtainConsent, type Guards } from "./consent.ts";
import { deleteAll, openReceipt, type Deletion, type Outcome, type Place } from "./delete-all.ts";
import { readTargets, withUsers, type DeleteOptions, type Targets } from "./targets.ts";

/** Deletes the users that ids or a query name, after consent. @throws {CliError} before and after, with the exit code */
export async function deleteUsers(context: Context, options: DeleteOptions, args: readonly string[]): Promise<void> {
  const guards = guardsOf(options);
  const target = await resolveTarget(context);
  const client = await openTarget(context, target);
  const named = await readTargets(context, client, args, options);
  if (!options.dryRun) {
    checkCount(named, guards, target);
    if (!isNone(named)) checkFlags(named, guards, target);
  }
  const targets = await withUsers(client, named);
  const { instance } = context.network;
  const place = { service: (target.base_url ?? target.api_url)!.value, instance };
  const where = whereDone(target, instance);
  if (options.dryRun) {
    await dryRun(context, options, targets, place, where);
    checkCount(targets, guards, target);
    if (targets.users.size > 0 || isNone(targets)) return;
    throw new CliError(EXIT.notFound, "None of these users exist.", undefined, "user_not_found");
  }
  if (isNone(targets)) {
    say(context, nothingToDelete(targets, where));
    // A person has read it. A program gets the form that it knows.
    return isTable(formatOf(options, context)) ? undefined : report(context, options, { outcomes: [] }, place, where);
  }
  const service = `${describeTarget(target)}, ${instanceInWords(instance)}`;
  // The question names the service as well.
  if (guards.yes || targets.ids.length === 0) say(context, `Deleting from ${service}`);
  else await obtainConsent(context, targets, guards, { target, service });

  const { ids, strangers } = targets;
  const receipt =
    options.receipt === undefined ? undefined : await openReceipt(context, options.receipt, place, ids.length);
  sayMissing(context, targets);
  const deletion = await deleteAll(context, client, targets, receipt);
  const gone = strangers.map((address) => ({ id: address, outcome: "gone" as const }));
  await report(context, options, { ...deletion, outcomes: [...deletion.outcomes, ...gone] }, place, where);
}

function guardsOf(options: DeleteOptions): Guards {
  return { yes: options.yes === true, ...limitsOf(options) };
}

const OUTCOMES: Listed<Outcome> = {
  columns: [
    { name: "id", title: "ID" },
    { name: "outcome", title: "OUTCOME" },
    { name: "error", title: "WHY", value: ({ error }) => error ?? null },
  ],
};

/** Prints what was deleted, in a form that does not depend on how many there were. @throws unless all are deleted */
async function report(
  context: Context,
  flags: OutputFlags,
  deletion: Deletion,
  place: Place,
  where: string,
): Promise<void> {
  const { outcomes } = deletion;
  const format = formatOf(flags, context);
  if (format === "json") printJson(context, formOf(outcomes, place));
  else if (format === "table") await printTable(context, flags, outcomes);
  else await printList(context, flags, OUTCOMES, outcomes);
  const { length } = outcomes.filter(({ outcome }) => outcome === "deleted");
  if (length > 0 && format !== "json") say(context, `Deleted ${counted(length, "user")} of ${where}.`);
  throwUnlessDone(context, deletion);
}

/** What `--json` prints. @param isDry whether it was a dry run: users who match are then `not_attempted` */
function formOf(outcomes: readonly Outcome[], { service, instance }: Place, isDry = false): object {
  const of = (name: Outcome["outcome"]): Outcome[] => outcomes.filter(({ outcome }) => outcome === name);
  const idsOf = (name: Outcome["outcome"]): string[] => of(name).map(({ id }) => id);
  const reasons = (name: Outcome["outcome"]): object[] => of(name).map(({ id, code, error }) => ({ id, code, error }));
  return {
    dry_run: isDry,
    service,
    instance: instance ?? null,
    deleted: idsOf("deleted"),
    gone: idsOf("gone"),
    failed: reasons("failed"),
    unknown: reasons("unknown"),
    not_attempted: idsOf("not_attempted"),
  };
}

/** A person sees the ones that need attention; the others are a number. */
async function printTable(context: Context, flags: OutputFlags, outcomes: readonly Outcome[]): Promise<void> {
  const [first] = outcomes;
  if (outcomes.length === 1) {
    // What else became of it is the command's error.
    if (first!.outcome === "deleted") context.stdout.write(`Deleted ${first!.id}\n`);
    return;
  }
  const shown = outcomes.filter(needsLook);
  await printList(context, flags, OUTCOMES, shown);
  // What was deleted is said below it, with its place.
  if (outcomes.some(({ outcome }) => outcome !== "deleted")) say(context, summary(outcomes));
}

function throwUnlessDone(context: Context, { outcomes, signal, fatal, fault, error }: Deletion): void {
  if (fault !== undefined) throw new CliError(EXIT.failed, `${fault} ${summary(outcomes)}`);
  if (signal !== undefined) throw new CliError(EXIT_BY_SIGNAL[signal], `Interrupted. ${summary(outcomes)}`);
  // With one, its error says all.
  if (outcomes.length === 1 && error !== undefined) throw error;
  if (fatal !== undefined) {
    const { exitCode, message, hint, code } = explainFailure(context, fatal);
    throw new CliError(exitCode, `${message.replace(/\.?$/, ".")} ${summary(outcomes)}`, hint, code);
  }
  // Most likely the wrong service was asked.
  if (outcomes.length > 0 && outcomes.every(({ outcome }) => outcome === "gone")) {
    const hint = error === undefined ? undefined : toFailure(error).hint;
    throw new CliError(EXIT.notFound, `None of these users exist. ${summary(outcomes)}`, hint, "user_not_found");
  }
  if (outcomes.some(needsLook)) throw new CliError(EXIT.someFailed, summary(outcomes));
}

function needsLook({ outcome }: Outcome): boolean {
  return outcome !== "deleted" && outcome !== "gone";
}

function summary(outcomes: readonly Outcome[]): string {
  const said: readonly (readonly [Outcome["outcome"], (count: number) => string])[] = [
    ["gone", (count) => `${count} ${count === 1 ? "was" : "were"} not found`],
    ["failed", (count) => `${count} failed`],
    ["unknown", (count) => `${count} may or may not be deleted`],
    ["not_attempted", (count) => `${count} ${count === 1 ? "was" : "were"} not attempted`],
  ];
  const count = (name: Outcome["outcome"]): number => outcomes.filter(({ outcome }) => outcome === name).length;
  const others = said.flatMap(([name, words]) => (count(name) === 0 ? [] : [words(count(name))]));
  return `${[`${count("deleted")} of ${outcomes.length} deleted`, ...others].join(", ")}.`;
}

/** Prints the users that would be deleted, however many. */
async function dryRun(
  context: Context,
  flags: OutputFlags,
  targets: Targets,
  place: Place,
  where: string,
): Promise<void> {
  const { ids, strangers, users } = targets;
  sayMissing(context, targets);
  const format = formatOf(flags, context);
  if (format === "json") {
    const outcomeOf = (id: string): Outcome => ({ id, outcome: users.has(id) ? "not_attempted" : "gone" });
    printJson(context, formOf([...ids, ...strangers].map(outcomeOf), place, true));
  } else if (users.size > 0 || !isTable(format)) await printList(context, flags, USER_COLUMNS, users.values());
  say(
    context,
    isNone(targets)
      ? nothingToDelete(targets, where)
      : `Dry run: ${counted(users.size, "user")} of ${where} would be deleted.`,
  );
}

function sayMissing(context: Context, { ids, strangers, users }: Targets): void {
  const missing = [...ids.filter((id) => !users.has(id)), ...strangers];
  sayNotFound(context, missing, ids.length + strangers.length);
}

/** Whether there is nothing to delete, not even someone who does not exist. */
function isNone({ ids, strangers }: Targets): boolean {
  return ids.length === 0 && strangers.length === 0;
}

function nothingToDelete({ typed }: Targets, where: string): string {
  return typed === undefined ? "No users in the file." : `No users of ${where} match.`;
}
