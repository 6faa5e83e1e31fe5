import type { Context } from "../../../context.ts";
import { CliError } from "../../../errors.ts";
import { EXIT, EXIT_BY_SIGNAL } from "../../../exit-codes.ts";
import type { Listed } from "../../../list/columns.ts";
import { printAll } from "../../../list/print.ts";
import { printJson } from "../../../output/text.ts";
import { formatOf, type OutputFlags } from "../../../output/flags.ts";
import type { Deletion } from "./delete-all.ts";
import type { Outcome } from "./receipt.ts";

const OUTCOMES: Listed<Outcome> = {
  id: "id",
  columns: [
    { name: "id", title: "ID", whole: true, value: ({ id }) => id },
    { name: "outcome", title: "OUTCOME", value: ({ outcome }) => outcome },
    { name: "error", title: "WHY", value: ({ error }) => error ?? null },
  ],
};

/**
 * Prints what was deleted.
 * @param only the id, if a single one was given: its result and its error are the API's own
 * @throws {CliError} with the exit code, unless all are deleted
 */
export async function report(context: Context, flags: OutputFlags, deletion: Deletion, only?: string): Promise<void> {
  const { error, fault, signal } = deletion;
  if (only === undefined || fault !== undefined) return reportMany(context, flags, deletion);
  if (error !== undefined) throw error;
  return signal === undefined ? reportOne(context, flags, only) : reportMany(context, flags, deletion);
}

async function reportOne(context: Context, flags: OutputFlags, id: string): Promise<void> {
  if (flags.json) return printJson(context, { deleted: true, id });
  if (formatOf(flags, context) === "table") return void context.stdout.write(`Deleted ${id}\n`);
  await printAll(context, flags, OUTCOMES, [{ id, outcome: "deleted" }], "");
}

async function reportMany(context: Context, flags: OutputFlags, deletion: Deletion): Promise<void> {
  const { outcomes } = deletion;
  const of = (name: Outcome["outcome"]): Outcome[] => outcomes.filter(({ outcome }) => outcome === name);
  const idsOf = (name: Outcome["outcome"]): string[] => of(name).map(({ id }) => id);
  const format = formatOf(flags, context);
  if (format === "json") {
    const reasons = (name: "failed" | "unknown"): object[] =>
      of(name).map(({ id, code, error }) => ({ id, code, error }));
    printJson(context, {
      deleted: idsOf("deleted"),
      gone: idsOf("gone"),
      failed: reasons("failed"),
      unknown: reasons("unknown"),
      not_attempted: idsOf("not_attempted"),
    });
  } else {
    // A person sees the ones that need attention; the others are a number.
    const shown = format === "ids" ? of("deleted") : format === "table" ? outcomes.filter(needsLook) : outcomes;
    await printAll(context, flags, OUTCOMES, shown, summary(outcomes));
    if (format === "table" && shown.length > 0) context.stderr.write(`${summary(outcomes)}\n`);
  }
  throwUnlessDone(deletion);
}

function throwUnlessDone({ outcomes, signal, fatal, fault }: Deletion): void {
  if (fault !== undefined) throw new CliError(EXIT.failed, `${fault} ${summary(outcomes)}`);
  if (signal !== undefined) throw new CliError(EXIT_BY_SIGNAL[signal], `Interrupted. ${summary(outcomes)}`);
  if (fatal) throw new CliError(fatal.exitCode, `${fatal.message}. ${summary(outcomes)}`, fatal.hint);
  if (outcomes.some(needsLook)) throw new CliError(EXIT.someFailed, summary(outcomes));
}

function needsLook({ outcome }: Outcome): boolean {
  return outcome !== "deleted" && outcome !== "gone";
}

function summary(outcomes: readonly Outcome[]): string {
  const words: readonly (readonly [Outcome["outcome"], (count: number) => string])[] = [
    ["gone", (count) => `${count} ${count === 1 ? "was" : "were"} already deleted`],
    ["failed", (count) => `${count} failed`],
    ["unknown", (count) => `${count} may or may not be deleted`],
    ["not_attempted", (count) => `${count} ${count === 1 ? "was" : "were"} not attempted`],
  ];
  const count = (name: Outcome["outcome"]): number => outcomes.filter(({ outcome }) => outcome === name).length;
  const others = words.flatMap(([name, say]) => (count(name) === 0 ? [] : [say(count(name))]));
  return `${[`${count("deleted")} of ${outcomes.length} deleted`, ...others].join(", ")}.`;
}
