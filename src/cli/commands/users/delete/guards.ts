import type { TargetFlags } from "../../../command.ts";
import { namesOf } from "../../../connection/target.ts";
import { findNeighbours } from "../../../connection/running-server.ts";
import type { RunningServerFile } from "../../../connection/server-file.ts";
import type { Target } from "../../../connection/sources.ts";
import type { Context } from "../../../context.ts";
import type { User } from "../../../../wire/resources.ts";
import { CliError, EXIT, UsageError } from "../../../errors.ts";
import { counted, harmless } from "../../../output/text.ts";
import { requirePrompt } from "../../../output/prompts.ts";
import { matching, preview } from "./preview.ts";
import type { Targets } from "./targets.ts";

/** A target, and the other local servers that it might be meant for as well. */
export interface Chosen extends Target {
  readonly neighbours: readonly RunningServerFile[];
}

/** With `--instance`, only servers that have such an instance too. */
export async function withNeighbours(context: Context, { instance }: TargetFlags, target: Target): Promise<Chosen> {
  // An address names a server.
  const isNamed = target.base_url?.source !== "the local server";
  const all = target.server && !isNamed ? await findNeighbours(context, target.server) : [];
  const isMeant = ({ instances }: RunningServerFile): boolean =>
    instance === undefined || instances.some((one) => namesOf(one).includes(instance));
  return { ...target, neighbours: all.filter(isMeant) };
}

export interface Guards {
  readonly yes: boolean;
  readonly expect?: number;
  readonly max: number;
}

/** @throws {CliError} exit code 8, before anything is deleted, if the number is not the expected one */
export function checkCount(targets: Targets, guards: Guards, target: Chosen): void {
  const { ids, typed } = targets;
  const { expect, max, yes } = guards;
  const count = ids.length;
  if (expect !== undefined && count !== expect)
    throw new CliError(
      EXIT.precondition,
      `Expected ${expect}, but ${typed === undefined ? "there are" : "the query matches"} ${count}. No users were deleted.`,
      "Preview with --dry-run.",
    );
  if (count > max)
    throw new CliError(
      EXIT.precondition,
      `${counted(count, "user")} ${count === 1 ? "is" : "are"} more than ${max}. No users were deleted.`,
      `To delete all of them: ${[`--max ${count}`, ...(yes ? missingFlags(targets, guards, target) : [])].join(" ")}`,
    );
}

/**
 * A query may match others the next time, so `--yes` alone is not consent to it; with the number it is. And the current
 * profile may have been chosen long ago, or for another purpose.
 * @throws {CliError} naming every flag that `--yes` still needs
 */
export function checkFlags(targets: Targets, guards: Guards, target: Chosen): void {
  const missing = missingFlags(targets, guards, target);
  if (guards.yes && target.neighbours.length > 0)
    throw new UsageError(
      `${target.neighbours.length + 1} servers run in this directory: ${[target.server!, ...target.neighbours].map(({ url }) => url).join(", ")}. --yes does not choose among them. No users were deleted.`,
      `Name one with --base-url ${target.base_url!.value}, or with an --instance that only one of them has.`,
    );
  if (!guards.yes || missing.length === 0) return;
  const reasons = [
    ...(needsExpect(targets, guards) ? ["--yes is not enough for a query, which may match other users by now."] : []),
    ...(target.isByDefault
      ? [
          `--yes does not delete from ${target.profile!.source === "SVC_PROFILE" ? "the profile of SVC_PROFILE" : "the current profile"} unless it is named.`,
        ]
      : []),
  ];
  throw new UsageError(
    `${reasons.join(" ")} No users were deleted.`,
    `If that is what you expect, add: ${missing.join(" ")}`,
  );
}

function missingFlags(targets: Targets, guards: Guards, { isByDefault, profile }: Chosen): string[] {
  return [
    ...(needsExpect(targets, guards) ? [`--expect ${targets.ids.length}`] : []),
    ...(isByDefault ? [`--profile ${profile!.value}`] : []),
  ];
}

function needsExpect({ typed }: Targets, { expect }: Guards): boolean {
  return typed !== undefined && expect === undefined;
}

/**
 * Asks for yes or no before one deletion, and for their number before several.
 * @throws {CliError} if the answer is no, or a prompt is not possible
 */
export async function obtainConsent(
  context: Context,
  targets: Targets,
  users: readonly User[],
  guards: Guards,
  { target, service }: { readonly target: Chosen; readonly service: string },
): Promise<void> {
  const { ids, tookStdin, typed } = targets;
  const flags = ["--yes", ...missingFlags(targets, guards, target)].join(" ");
  if (tookStdin)
    throw new UsageError(
      "Standard input was used for ids, so it cannot confirm. No users were deleted.",
      `Preview with --dry-run, then add ${flags}. Or read them from a file, with --file <file>.`,
    );
  requirePrompt(context, `Add ${flags} to delete without confirmation.`);
  const left = new Set(ids);
  const wanted = users.filter(({ id }) => left.has(id));
  if (ids.length === 1) {
    if (typed) context.stderr.write(`${matching(targets)}.\n`);
    const named = wanted[0]?.data.email ?? `${ids[0]}, who does not exist,`;
    if (await context.confirm(`Delete ${harmless(named)} from ${harmless(service)}? This cannot be undone.`)) return;
  } else {
    await preview(context, targets, wanted, service);
    const answer = await context.ask(`This cannot be undone. Type ${ids.length} to delete all of them:`);
    if (answer.trim() === String(ids.length)) return;
  }
  throw new CliError(EXIT.failed, "Declined. No users were deleted.");
}
