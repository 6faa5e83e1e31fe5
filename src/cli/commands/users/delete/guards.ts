import { isInteractive, type Context } from "../../../context.ts";
import type { Client } from "../../../../client/client.ts";
import type { User } from "../../../../wire/resources.ts";
import { CliError, EXIT } from "../../../errors.ts";
import { USER_COLUMNS } from "../../../list/columns.ts";
import { rowsOf } from "../../../list/formats.ts";
import { table } from "../../../list/table.ts";
import { writeAll } from "../../../list/write.ts";
import { harmless } from "../../../output/text.ts";
import type { Targets } from "./targets.ts";

/** So many of those who would be deleted are shown before the question. */
const PREVIEWED = 10;
export const DEFAULT_MAX = 100;

export interface Guards {
  readonly yes: boolean;
  readonly expect?: number;
  readonly max: number;
}

/** How many there may be. @throws {CliError} exit code 8, before anything is deleted */
export function checkCount({ ids, query }: Targets, { expect, max }: Guards): void {
  const count = ids.length;
  if (expect !== undefined && count !== expect)
    throw new CliError(
      EXIT.precondition,
      `${expect} expected, but ${query === undefined ? "there are" : "the query finds"} ${count}. Nobody was deleted.`,
      "Look at whom it would be with --dry-run.",
    );
  if (count > max)
    throw new CliError(
      EXIT.precondition,
      `${count} users are more than ${max}. Nobody was deleted.`,
      `If you mean all of them: --max ${count}`,
    );
}

/**
 * Asks as hard as the damage would be: yes or no for one, the number for many. A search's answer can be another one
 * each time, so without a person `--yes` does not stand for it, but the number does.
 * @param address of the instance
 * @throws {CliError} where the answer is no, or nobody is there
 */
export async function obtainConsent(
  context: Context,
  client: Client,
  targets: Targets,
  guards: Guards,
  address: string,
): Promise<void> {
  const { ids, query, tookStdin } = targets;
  if (guards.yes) {
    if (query === undefined || guards.expect !== undefined) return;
    throw new CliError(
      EXIT.usage,
      "--yes is not enough for a query, which can find others than you have seen. Nobody was deleted.",
      `Say how many it finds: --yes --expect ${ids.length}`,
    );
  }
  const flags = query === undefined ? "--yes" : `--yes --expect ${ids.length}`;
  if (tookStdin)
    throw new CliError(
      EXIT.usage,
      "Standard input was read, so it can't answer. Nobody was deleted.",
      `Look first with --dry-run, then add ${flags}.`,
    );
  if (!isInteractive(context))
    throw new CliError(
      EXIT.usage,
      `Deleting ${ids.length === 1 ? "a user" : "users"} asks for confirmation, and nobody is here to give it.`,
      `Add ${flags} to delete without being asked.`,
    );
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) {
    const { data } = targets.users?.[0] ?? (await client.users.get(only));
    if (await context.confirm(`Delete ${harmless(data.email)} of ${harmless(address)}? This cannot be undone.`)) return;
  } else {
    await preview(context, client, targets, address);
    const typed = await context.ask(`This cannot be undone. Type ${ids.length} to delete all of them:`);
    if (typed.trim() === String(ids.length)) return;
  }
  throw new CliError(EXIT.failed, "Nothing was deleted.");
}

async function preview(context: Context, client: Client, targets: Targets, address: string): Promise<void> {
  const { ids, users, query } = targets;
  const { stderr } = context;
  const found = users?.slice(0, PREVIEWED) ?? (await findAll(client, ids.slice(0, PREVIEWED)));
  const matching = query === undefined ? "" : `, which match ${harmless(query)}`;
  stderr.write(`${ids.length} users of ${harmless(address)}${matching}:\n`);
  // Whoever is deleted is known by the address, so it is never cut.
  const columns = USER_COLUMNS.columns
    .filter(({ name }) => ["id", "email", "name", "created_at"].includes(name))
    .map((column) => (column.name === "email" ? { ...column, whole: true as const } : column));
  await writeAll(stderr, table(rowsOf(found), columns, { ...context, stdout: stderr }));
  if (users === undefined && found.length < Math.min(ids.length, PREVIEWED))
    stderr.write("Some of these ids belong to nobody.\n");
  if (ids.length > PREVIEWED) stderr.write(`and ${ids.length - PREVIEWED} more.\n`);
}

/** Those who are there. */
export async function findAll(client: Client, ids: readonly string[]): Promise<User[]> {
  const found: User[] = [];
  for (const id of ids) {
    const user = await client.users.find(id);
    if (user) found.push(user);
  }
  return found;
}
