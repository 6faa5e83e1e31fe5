import type { Context } from "../../../context.ts";
import { explainFailure } from "../../../connection/explain-failure.ts";
import { CliError, EXIT, EXIT_BY_SIGNAL } from "../../../errors.ts";
import { toFailure } from "../../../failure.ts";
import type { Listed } from "../../../list/columns.ts";
import { printAll } from "../../../list/print.ts";
import { printJson } from "../../../output/text.ts";
import { formatOf, type OutputFlags } from "../../../output/flags.ts";
import type { Deletion } from "./delete-all.ts";
import type { Outcome, Place } from "./receipt.ts";

const OUTCOMES: Listed<Outcome> = {
  id: "id",
  columns: [
    { name: "id", title: "ID", whole: true, value: ({ id }) => id },
    { name: "outcome", title: "OUTCOME", value: ({ outcome }) => outcome },
    { name: "error", title: "WHY", value: ({ error }) => error ?? null },
  ],
};

/** Prints what was deleted, in a form that does not depend on how many there were. @throws unless all are deleted */
export async function report(context: Context, flags: OutputFlags, deletion: Deletion, place: Place): Promise<void> {
  const { outcomes } = deletion;
  const format = formatOf(flags, context);
  if (format === "json") printJson(context, formOf(outcomes, place));
  else if (format === "table") await printTable(context, flags, outcomes);
  else await printAll(context, flags, OUTCOMES, format === "ids" ? outcomes.filter(isDeleted) : outcomes, "");
  throwUnlessDone(context, deletion);
}

/** What `--json` prints. @param isDry whether it was a dry run: users who match are then `not_attempted` */
export function formOf(outcomes: readonly Outcome[], { service, instance }: Place, isDry = false): object {
  const of = (name: Outcome["outcome"]): Outcome[] => outcomes.filter(({ outcome }) => outcome === name);
  const idsOf = (name: Outcome["outcome"]): string[] => of(name).map(({ id }) => id);
  const reasons = (name: "failed" | "unknown"): object[] =>
    of(name).map(({ id, code, error }) => ({ id, code, error }));
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
    if (isDeleted(first!)) context.stdout.write(`Deleted ${first!.id}\n`);
    return;
  }
  const shown = outcomes.filter(needsLook);
  await printAll(context, flags, OUTCOMES, shown, summary(outcomes));
  if (shown.length > 0) context.stderr.write(`${summary(outcomes)}\n`);
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

function isDeleted({ outcome }: Outcome): boolean {
  return outcome === "deleted";
}

function needsLook({ outcome }: Outcome): boolean {
  return outcome !== "deleted" && outcome !== "gone";
}

function summary(outcomes: readonly Outcome[]): string {
  const words: readonly (readonly [Outcome["outcome"], (count: number) => string])[] = [
    ["gone", (count) => `${count} ${count === 1 ? "was" : "were"} not found`],
    ["failed", (count) => `${count} failed`],
    ["unknown", (count) => `${count} may or may not be deleted`],
    ["not_attempted", (count) => `${count} ${count === 1 ? "was" : "were"} not attempted`],
  ];
  const count = (name: Outcome["outcome"]): number => outcomes.filter(({ outcome }) => outcome === name).length;
  const others = words.flatMap(([name, say]) => (count(name) === 0 ? [] : [say(count(name))]));
  return `${[`${count("deleted")} of ${outcomes.length} deleted`, ...others].join(", ")}.`;
}
