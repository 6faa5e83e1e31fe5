import { fold } from "../../../../wire/text/fold.ts";
import type { User } from "../../../../wire/resources.ts";
import { inWords } from "../../../../wire/search/query-words.ts";
import type { Context } from "../../../context.ts";
import { USER_COLUMNS } from "../../../list/columns.ts";
import { table } from "../../../list/formats.ts";
import { writeAll } from "../../../list/write.ts";
import { counted, harmless } from "../../../output/text.ts";
import type { Targets } from "./targets.ts";

/** How many of the users are shown before the question. */
const PREVIEWED = 10;
/** How many domains are counted by name. */
const DOMAINS = 5;

/** Shows what is to be deleted, and what stands out in it: one user of each domain, the newest and the oldest. */
export async function preview(
  context: Context,
  targets: Targets,
  users: readonly User[],
  service: string,
): Promise<void> {
  const { ids } = targets;
  const { stderr } = context;
  stderr.write(`${matching(targets)}, of ${harmless(service)}:\n`);
  // A user is recognised by the e-mail address, so it is never cut.
  const columns = USER_COLUMNS.columns
    .filter(({ name }) => ["id", "email", "name", "created_at"].includes(name))
    .map((column) => (column.name === "email" ? { ...column, whole: true as const } : column));
  const shown = outstanding(users);
  await writeAll(stderr, table(shown, columns, { ...context, stdout: stderr }));
  if (users.length > shown.length)
    stderr.write(`and ${users.length - shown.length} more. To see all of them: --dry-run\n`);
  if (users.length < ids.length) stderr.write(`${ids.length - users.length} of them do not exist.\n`);
  if (users.length > shown.length)
    stderr.write(`${harmless(domainsInWords(users))}\n${harmless(timesInWords(users))}\n`);
}

/** How many users there are, and by which search. */
export function matching({ ids, typed }: Targets): string {
  const count = counted(ids.length, "user");
  if (!typed?.query) return count;
  const [, ...words] = inWords(typed.query, "users").split(" ");
  return `${count} ${harmless(words.join(" "))}`;
}

/** In the order of all. */
function outstanding(users: readonly User[]): readonly User[] {
  if (users.length <= PREVIEWED) return users;
  const rare = [...byDomain(users)].toSorted(([, a], [, b]) => a.length - b.length).map(([, [first]]) => first!);
  const { oldest, newest } = ends(users);
  const chosen = [...new Set([oldest, newest, ...rare.slice(0, DOMAINS), ...users])].slice(0, PREVIEWED);
  return users.filter((user) => chosen.includes(user));
}

function byDomain(users: readonly User[]): Map<string, User[]> {
  const domains = new Map<string, User[]>();
  for (const user of users) {
    const domain = fold(user.data.email.slice(user.data.email.lastIndexOf("@")));
    const own = domains.get(domain);
    if (own) own.push(user);
    else domains.set(domain, [user]);
  }
  return domains;
}

function domainsInWords(users: readonly User[]): string {
  const counts = [...byDomain(users)].map(([domain, { length }]) => [domain, length] as const);
  const most = counts.toSorted(([, a], [, b]) => b - a);
  const named = most.slice(0, DOMAINS).map(([domain, count]) => `${count} ${domain}`);
  const others = most.length > DOMAINS ? [`and ${counted(most.length - DOMAINS, "other domain")}`] : [];
  return `Domains: ${[...named, ...others].join(", ")}`;
}

function timesInWords(users: readonly User[]): string {
  const { oldest, newest } = ends(users);
  const when = ({ data }: User): string => `${data.created_at.slice(0, 10)} (${data.email})`;
  return `Created: from ${when(oldest)} to ${when(newest)}`;
}

function ends(users: readonly User[]): { oldest: User; newest: User } {
  const ordered = users.toSorted((a, b) => (a.data.created_at < b.data.created_at ? -1 : 1));
  return { oldest: ordered[0]!, newest: ordered.at(-1)! };
}
