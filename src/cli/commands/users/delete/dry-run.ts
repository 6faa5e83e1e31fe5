import type { User } from "../../../../wire/resources.ts";
import type { Context } from "../../../context.ts";
import { USER_COLUMNS } from "../../../list/columns.ts";
import { isTable, printAll } from "../../../list/print.ts";
import { counted, printJson, say } from "../../../output/text.ts";
import { formatOf, type OutputFlags } from "../../../output/flags.ts";
import { USERS } from "../../../search/flags.ts";
import { nothingFound } from "../../../search/hints.ts";
import type { Outcome, Place } from "./receipt.ts";
import { formOf } from "./report.ts";
import type { Targets } from "./targets.ts";

/** Prints the users that would be deleted, however many. */
export async function dryRun(
  context: Context,
  flags: OutputFlags,
  targets: Targets,
  users: readonly User[],
  place: Place,
): Promise<void> {
  const wanted = new Set(targets.ids);
  const found = users.filter(({ id }) => wanted.has(id));
  const existing = new Set(found.map(({ id }) => id));
  const missing = notFound(targets, existing);
  if (missing !== undefined) say(context, missing);
  const format = formatOf(flags, context);
  if (format === "json") {
    const outcomeOf = (id: string): Outcome => ({ id, outcome: existing.has(id) ? "not_attempted" : "gone" });
    printJson(context, formOf([...targets.ids, ...targets.strangers].map(outcomeOf), place, true));
  } else if (found.length > 0 || !isTable(format)) await printAll(context, flags, USER_COLUMNS, found, "");
  say(
    context,
    isNone(targets) ? nothingToDelete(targets) : `Dry run: ${counted(found.length, "user")} would be deleted.`,
  );
}

/** How many of the missing are named. */
const NAMED = 10;

/** Which ids and addresses no user has. Undefined if there are none. */
export function notFound(
  { ids, strangers }: Pick<Targets, "ids" | "strangers">,
  existing: { has(id: string): boolean },
): string | undefined {
  const missing = [...ids.filter((id) => !existing.has(id)), ...strangers];
  if (missing.length === 0) return undefined;
  const more = missing.length > NAMED ? [`and ${missing.length - NAMED} more`] : [];
  const named = [...missing.slice(0, NAMED), ...more].join(", ");
  return `${missing.length} of ${ids.length + strangers.length} not found: ${named}.`;
}

/** Whether there is nothing to delete, not even someone who does not exist. */
export function isNone({ ids, strangers }: Targets): boolean {
  return ids.length === 0 && strangers.length === 0;
}

/** Why there is nothing to delete. */
export function nothingToDelete({ typed }: Targets): string {
  return typed === undefined ? "No users in the file." : nothingFound(typed, USERS);
}
