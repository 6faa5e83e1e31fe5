import type { Context } from "../../../context.ts";
import type { Client } from "../../../../client/client.ts";
import type { User } from "../../../../wire/resources.ts";
import { CliError } from "../../../errors.ts";
import { EXIT } from "../../../exit-codes.ts";
import { USER_COLUMNS } from "../../../list/columns.ts";
import { table } from "../../../list/table.ts";
import { writeAll } from "../../../list/write.ts";
import { counted } from "../../../output/format.ts";
import { requirePrompt } from "../../../output/prompt.ts";
import { harmless } from "../../../output/text.ts";
import type { Target } from "../../../connection/sources.ts";
import { describeTarget } from "../../../connection/target.ts";
import type { Targets } from "./targets.ts";

/** How many of the users are shown before the question. */
const PREVIEWED = 10;

export interface Guards {
  readonly yes: boolean;
  readonly expect?: number;
  readonly max: number;
}

/** @throws {CliError} exit code 8, before anything is deleted, if the number is not the expected one */
export function checkCount(targets: Targets, guards: Guards, target: Target): void {
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
export function checkFlags(targets: Targets, guards: Guards, target: Target): void {
  const missing = missingFlags(targets, guards, target);
  if (!guards.yes || missing.length === 0) return;
  const reasons = [
    ...(needsExpect(targets, guards) ? ["--yes is not enough for a query, which may match other users by now."] : []),
    ...(target.isByDefault ? ["--yes does not delete from the current profile unless it is named."] : []),
  ];
  throw new CliError(
    EXIT.usage,
    `${reasons.join(" ")} No users were deleted.`,
    `If that is what you expect, add: ${missing.join(" ")}`,
  );
}

function missingFlags(targets: Targets, guards: Guards, { isByDefault, profile }: Target): string[] {
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
  client: Client,
  targets: Targets,
  users: readonly User[],
  guards: Guards,
  target: Target,
): Promise<void> {
  const { ids, tookStdin } = targets;
  const service = describeTarget(target);
  const flags = ["--yes", ...missingFlags(targets, guards, target)].join(" ");
  if (tookStdin)
    throw new CliError(
      EXIT.usage,
      "Standard input was used for ids, so it cannot confirm. No users were deleted.",
      `Preview with --dry-run, then add ${flags}. Or read them from a file, with --file <file>.`,
    );
  requirePrompt(context, `Add ${flags} to delete without confirmation.`);
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) {
    const { data } = users[0] ?? (await client.users.get(only));
    if (await context.confirm(`Delete ${harmless(data.email)} from ${harmless(service)}? This cannot be undone.`))
      return;
  } else {
    await preview(context, targets, users, service);
    const typed = await context.ask(`This cannot be undone. Type ${ids.length} to delete all of them:`);
    if (typed.trim() === String(ids.length)) return;
  }
  throw new CliError(EXIT.failed, "Declined. No users were deleted.");
}

async function preview(
  context: Context,
  { ids, typed }: Targets,
  users: readonly User[],
  service: string,
): Promise<void> {
  const { stderr } = context;
  const matching = typed === undefined ? "" : `, which match ${harmless(typed.text)}`;
  stderr.write(`${ids.length} users of ${harmless(service)}${matching}:\n`);
  // A user is recognised by the e-mail address, so it is never cut.
  const columns = USER_COLUMNS.columns
    .filter(({ name }) => ["id", "email", "name", "created_at"].includes(name))
    .map((column) => (column.name === "email" ? { ...column, whole: true as const } : column));
  await writeAll(stderr, table(users.slice(0, PREVIEWED), columns, { ...context, stdout: stderr }));
  if (users.length > PREVIEWED) stderr.write(`and ${users.length - PREVIEWED} more.\n`);
  if (users.length < ids.length) stderr.write(`${ids.length - users.length} of them do not exist.\n`);
}
