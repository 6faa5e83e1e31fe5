import { isInteractive, type Context } from "../../../context.ts";
import type { Client } from "../../../../client/client.ts";
import type { User } from "../../../../wire/resources.ts";
import { CliError } from "../../../errors.ts";
import { EXIT } from "../../../exit-codes.ts";
import { USER_COLUMNS } from "../../../list/columns.ts";
import { rowsOf } from "../../../list/formats.ts";
import { table } from "../../../list/table.ts";
import { writeAll } from "../../../list/write.ts";
import { harmless } from "../../../output/text.ts";
import type { Target } from "../../../connection/sources.ts";
import type { Targets } from "./targets.ts";

/** How many of the users are shown before the question. */
const PREVIEWED = 10;
export const DEFAULT_MAX = 100;

export interface Guards {
  readonly yes: boolean;
  readonly expect?: number;
  readonly max: number;
}

/** @throws {CliError} exit code 8, before anything is deleted, where it is another number than expected */
export function checkCount({ ids, query }: Targets, { expect, max }: Guards): void {
  const count = ids.length;
  if (expect !== undefined && count !== expect)
    throw new CliError(
      EXIT.precondition,
      `Expected ${expect}, but ${query === undefined ? "there are" : "the query matches"} ${count}. No users were deleted.`,
      "Preview with --dry-run.",
    );
  if (count > max)
    throw new CliError(
      EXIT.precondition,
      `${count} users are more than ${max}. No users were deleted.`,
      `To delete all of them: --max ${count}`,
    );
}

/**
 * The current profile may have been chosen long ago, or for another purpose.
 * @throws {CliError} where there is no confirmation, and the service was not named
 */
export function checkTarget({ isByDefault, profile }: Target, { yes }: Guards): void {
  if (!yes || !isByDefault) return;
  throw new CliError(
    EXIT.usage,
    "--yes does not delete from the current profile unless it is named. No users were deleted.",
    `Add --profile ${profile!.value}`,
  );
}

/**
 * Asks for yes or no before one deletion, and for their number before several. A query may match others the next time, so
 * `--yes` alone is not consent to it; with the number it is.
 * @param service in words
 * @throws {CliError} where the answer is no, or there is no terminal
 */
export async function obtainConsent(
  context: Context,
  client: Client,
  targets: Targets,
  guards: Guards,
  service: string,
): Promise<void> {
  const { ids, query, tookStdin } = targets;
  if (guards.yes) {
    if (query === undefined || guards.expect !== undefined) return;
    throw new CliError(
      EXIT.usage,
      "--yes is not enough for a query, which may match other users by now. No users were deleted.",
      `Add the number that you expect: --yes --expect ${ids.length}`,
    );
  }
  const flags = query === undefined ? "--yes" : `--yes --expect ${ids.length}`;
  if (tookStdin)
    throw new CliError(
      EXIT.usage,
      "Standard input was used for ids, so it cannot confirm. No users were deleted.",
      `Preview with --dry-run, then add ${flags}.`,
    );
  if (!isInteractive(context))
    throw new CliError(
      EXIT.usage,
      `Deleting ${ids.length === 1 ? "a user" : "users"} needs confirmation, and there is no terminal to ask in.`,
      `Add ${flags} to delete without confirmation.`,
    );
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) {
    const { data } = targets.users?.[0] ?? (await client.users.get(only));
    if (await context.confirm(`Delete ${harmless(data.email)} from ${harmless(service)}? This cannot be undone.`))
      return;
  } else {
    await preview(context, client, targets, service);
    const typed = await context.ask(`This cannot be undone. Type ${ids.length} to delete all of them:`);
    if (typed.trim() === String(ids.length)) return;
  }
  throw new CliError(EXIT.failed, "Declined. No users were deleted.");
}

async function preview(context: Context, client: Client, targets: Targets, service: string): Promise<void> {
  const { ids, users, query } = targets;
  const { stderr } = context;
  const found = users?.slice(0, PREVIEWED) ?? (await findAll(client, ids.slice(0, PREVIEWED)));
  const matching = query === undefined ? "" : `, which match ${harmless(query)}`;
  stderr.write(`${ids.length} users of ${harmless(service)}${matching}:\n`);
  // A user is recognised by the e-mail address, so it is never cut.
  const columns = USER_COLUMNS.columns
    .filter(({ name }) => ["id", "email", "name", "created_at"].includes(name))
    .map((column) => (column.name === "email" ? { ...column, whole: true as const } : column));
  await writeAll(stderr, table(rowsOf(found), columns, { ...context, stdout: stderr }));
  if (users === undefined && found.length < Math.min(ids.length, PREVIEWED)) stderr.write("Some ids were not found.\n");
  if (ids.length > PREVIEWED) stderr.write(`and ${ids.length - PREVIEWED} more.\n`);
}

/** The users that exist. */
export async function findAll(client: Client, ids: readonly string[]): Promise<User[]> {
  const found: User[] = [];
  for (const id of ids) {
    const user = await client.users.find(id);
    if (user) found.push(user);
  }
  return found;
}
