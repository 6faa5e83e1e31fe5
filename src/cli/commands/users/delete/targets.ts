import type { Client } from "../../../../client/client.ts";
import { isUuid } from "../../../../wire/names.ts";
import { printTerm, termsIn, type Query, type Term } from "../../../../wire/query.ts";
import type { User } from "../../../../wire/resources.ts";
import type { Context } from "../../../context.ts";
import { readStdin } from "../../../input.ts";
import { CliError } from "../../../errors.ts";
import { EXIT } from "../../../exit-codes.ts";
import { pages } from "../../../list/pages.ts";
import { shortIdHint } from "../../../list/short-id.ts";
import { findByEmail } from "../by-email.ts";
import { USERS, type SearchFlags } from "../../../search/flags.ts";
import { readQuery, type TypedQuery } from "../../../search/read.ts";
import { unknownFieldHint } from "../../../search/unknown-field.ts";

/** The users to delete: every id once. */
export interface Targets {
  readonly ids: readonly string[];
  /** The users that a query matches. Undefined without a query. */
  readonly users?: readonly User[];
  readonly typed?: TypedQuery;
  /** Whether standard input was read, so that it cannot confirm. */
  readonly tookStdin: boolean;
}

/** @throws {CliError} if no users are given, or a query may match everyone by mistake */
export async function readTargets(
  context: Context,
  client: Client,
  args: readonly string[],
  flags: SearchFlags,
): Promise<Targets> {
  const isQuery = flags.query !== undefined || flags.queryFile !== undefined;
  if (isQuery && args.length > 0) throw new CliError(EXIT.usage, "Use ids or --query, not both.");
  if (isQuery) return search(context, client, flags);
  if (args.length === 0)
    throw new CliError(
      EXIT.usage,
      "No users given.",
      "Give ids or e-mail addresses, - to read ids from standard input, or --query 'email:*@acme.com'.",
    );
  const tookStdin = args.includes("-");
  const named = args.filter((argument) => argument !== "-");
  for (const argument of named) if (!isAddress(argument)) checkId(argument, "user id or e-mail address");
  const lines = tookStdin ? (await readStdin(context)).split("\n").map((line) => line.trim()) : [];
  for (const [i, line] of lines.entries()) if (line !== "") checkId(line, "user id", i + 1);
  const ids = new Set<string>();
  // All of them are known before anything is deleted.
  for (const name of named)
    ids.add(isAddress(name) ? (await findByEmail(client, name, " No users were deleted.")).id : name);
  for (const line of lines) if (line !== "") ids.add(line);
  return { ids: [...ids], tookStdin };
}

async function search(context: Context, client: Client, flags: SearchFlags): Promise<Targets> {
  const typed = await readQuery(context, USERS, [], flags);
  const { text, query, unknown } = typed;
  // A search may try a field that svc does not know; a deletion must not.
  if (!query)
    throw new CliError(EXIT.usage, `No users were deleted: ${unknown.message}.`, unknownFieldHint(text, USERS));
  refuseEveryone(query);
  const users: User[] = [];
  for await (const user of pages((page) => client.users.search(query, page), {})) users.push(user);
  await refuseVainExclusion(client, query, users.length);
  return { ids: users.map(({ id }) => id), users, typed, tookStdin: flags.queryFile === "-" };
}

/** An empty variable makes `email:*@$DOMAIN` into `email:*@`, and its negation matches everyone. */
function refuseEveryone(query: Query): void {
  const isWildcard = ({ operator }: Term): boolean => ["starts", "ends", "contains"].includes(operator);
  const blank = termsIn(query).find((term) => isWildcard(term) && !/[\p{L}\p{N}]/u.test(term.value));
  if (blank)
    throw new CliError(
      EXIT.usage,
      `"${printTerm(blank)}" would match everyone, or no one. Was a variable empty? No users were deleted.`,
      "To delete everyone, give a date: --query 'created_at>=2000-01-01'",
    );
}

/** @throws {CliError} for a query that only leaves out, and leaves out no one */
async function refuseVainExclusion(client: Client, query: Query, count: number): Promise<void> {
  if (count < 2 || query.some(({ values, range }) => values.length > 0 || range.length > 0)) return;
  let total = 0;
  for await (const _ of pages((page) => client.users.list(page), { limit: count + 1 })) total++;
  if (total > count) return;
  throw new CliError(
    EXIT.usage,
    `This query leaves out no one: it matches all ${count} users. No users were deleted.`,
    "To delete everyone, give a date: --query 'created_at>=2000-01-01'",
  );
}

/** A name that can stand for one user only; with an operator or a wildcard in it, it is a search. */
function isAddress(text: string): boolean {
  return text.includes("@") && !/[:<>=*\s]/.test(text);
}

function checkId(text: string, expected: string, line?: number): void {
  if (isUuid(text)) return;
  const where = line === undefined ? "" : `Line ${line} of standard input: `;
  throw new CliError(
    EXIT.usage,
    `${where}"${text.slice(0, 100)}" is not a ${expected}. No users were deleted.`,
    /[:<>=*]/.test(text)
      ? "To delete what a search matches: --query 'email:*@acme.com'"
      : text.includes("@")
        ? `Find the id with: svc users search --email ${text}`
        : shortIdHint(text, "users"),
  );
}
