import type { User } from "../../../../wire/resources.ts";
import { inWords } from "../../../../wire/search/query-words.ts";
import { fold } from "../../../../text/fold.ts";
import type { Target } from "../../../connection/sources.ts";
import {
  checkLimits,
  chosenIn,
  missingNames,
  refuseMissing,
  yesWith,
  flagsOf,
  type Limits,
  type MissingFlag,
} from "../../../connection/consent.ts";
import type { Context } from "../../../context.ts";
import { UsageError, CliError, EXIT } from "../../../errors.ts";
import { USER_COLUMNS } from "../../../list/columns.ts";
import { table, writeAll } from "../../../list/formats.ts";
import { requirePrompt } from "../../../output/prompts.ts";
import { counted, harmless } from "../../../output/text.ts";
import type { Targets } from "./targets.ts";

export interface Guards extends Limits {
  readonly yes: boolean;
}

/** @throws {CliError} exit code 8, before anything is deleted, if the number is not the expected one */
export function checkCount(targets: Targets, guards: Guards, target: Target): void {
  const missing = guards.yes ? missingFlags(targets, guards, target) : [];
  checkLimits(targets.ids.length, guards, {
    noun: "user",
    found: targets.typed === undefined ? "there are" : "the query matches",
    unchanged: "No users were deleted.",
    more: flagsOf(missing),
  });
}

/**
 * A query may match others the next time, so `--yes` alone is not consent to it; with the number it is. And the current
 * profile may have been chosen long ago, or for another purpose.
 * @throws {CliError} naming every flag that `--yes` still needs
 */
export function checkFlags(targets: Targets, guards: Guards, target: Target): void {
  const missing = missingFlags(targets, guards, target);
  if (!guards.yes) return;
  refuseMissing(missing, "No users were deleted.");
}

/** The flags that `--yes` needs beside it. */
function missingFlags({ typed, ids }: Targets, { expect }: Guards, target: Target): MissingFlag[] {
  const missing: MissingFlag[] = [];
  if (typed !== undefined && expect === undefined)
    missing.push({
      flag: `--expect ${ids.length}`,
      why: "--yes is not enough for a query, which may match other users by now.",
    });
  return [...missing, ...missingNames(chosenIn(target))];
}

/**
 * Asks for yes or no before one deletion, and for their number before several.
 * @throws {CliError} if the answer is no, or a prompt is not possible
 */
export async function obtainConsent(
  context: Context,
  targets: Targets,
  guards: Guards,
  { target, service }: { readonly target: Target; readonly service: string },
): Promise<void> {
  const { ids, users, tookStdin, typed } = targets;
  const flags = yesWith(missingFlags(targets, guards, target));
  if (tookStdin)
    throw new UsageError(
      "Standard input was used for ids, so it cannot confirm. No users were deleted.",
      `Preview with --dry-run, then add ${flags}. Or read them from a file, with --file <file>.`,
    );
  requirePrompt(context, `Add ${flags} to delete without confirmation.`);
  if (ids.length === 1) {
    if (typed) context.stderr.write(`${matching(targets)}.\n`);
    const user = users.get(ids[0]!);
    const named = user ? `${user.data.name} (${user.data.email})` : `${ids[0]}, who does not exist,`;
    if (await context.confirm(`Delete ${harmless(named)} from ${harmless(service)}? This cannot be undone.`)) return;
  } else {
    await preview(context, targets, service);
    const answer = await context.ask(`This cannot be undone. Type ${ids.length} to delete all of them:`);
    if (answer.trim() === String(ids.length)) return;
  }
  throw new CliError(EXIT.failed, "Declined. No users were deleted.");
}

/** How many of the users are shown before the question. */
const PREVIEWED = 10;
const DOMAINS = 5;

/** Shows what is to be deleted, and what stands out in it: one user of each domain, the newest and the oldest. */
async function preview(context: Context, targets: Targets, service: string): Promise<void> {
  const { ids } = targets;
  const { stderr } = context;
  stderr.write(`${matching(targets)}, of ${harmless(service)}:\n`);
  const columns = USER_COLUMNS.columns.filter(({ name }) => ["id", "email", "name", "created_at"].includes(name));
  const users = [...targets.users.values()];
  const domains = byDomain(users);
  const byAge = users.toSorted((a, b) => (a.data.created_at < b.data.created_at ? -1 : 1));
  const [oldest, newest] = [byAge[0], byAge.at(-1)];
  const rare = domains.toSorted(([, a], [, b]) => a.length - b.length).slice(0, DOMAINS);
  const first = [...new Set([oldest, newest, ...rare.map(([, [one]]) => one), ...users])].slice(0, PREVIEWED);
  const shown = users.filter((user) => first.includes(user));
  await writeAll(stderr, table(shown, columns, { ...context, stdout: stderr }));
  if (users.length > PREVIEWED) stderr.write(`and ${users.length - PREVIEWED} more. To see all of them: --dry-run\n`);
  if (users.length < ids.length) stderr.write(`${ids.length - users.length} of them do not exist.\n`);
  if (users.length <= PREVIEWED) return;
  const most = domains.toSorted(([, a], [, b]) => b.length - a.length);
  const named = most.slice(0, DOMAINS).map(([domain, { length }]) => `${length} ${domain}`);
  const others = most.length > DOMAINS ? [`and ${counted(most.length - DOMAINS, "other domain")}`] : [];
  const when = ({ data }: User): string => `${data.created_at.slice(0, 10)} (${data.email})`;
  stderr.write(`Domains: ${harmless([...named, ...others].join(", "))}\n`);
  stderr.write(`Created: from ${harmless(when(oldest!))} to ${harmless(when(newest!))}\n`);
}

/** How many users there are, and by which search. */
function matching({ ids, typed }: Targets): string {
  const count = counted(ids.length, "user");
  if (!typed?.query) return count;
  const [, ...words] = inWords(typed.query, "users").split(" ");
  return `${count} ${harmless(words.join(" "))}`;
}

function byDomain(users: readonly User[]): [domain: string, users: User[]][] {
  const domains = new Map<string, User[]>();
  for (const user of users) {
    const domain = fold(user.data.email.slice(user.data.email.lastIndexOf("@")));
    const own = domains.get(domain);
    if (own) own.push(user);
    else domains.set(domain, [user]);
  }
  return [...domains];
}
