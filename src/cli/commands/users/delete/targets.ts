import type { Client } from "../../../../client/client.ts";
import type { User } from "../../../../wire/resources.ts";
import { printTerm, termsIn, type Query, type Term } from "../../../../wire/search/query.ts";
import { foldCase } from "../../../../text/fold.ts";
import type { Flags } from "../../../command.ts";
import type { Context } from "../../../context.ts";
import { UsageError } from "../../../errors.ts";
import { quoted } from "../../../output/text.ts";
import { pages } from "../../../list/print.ts";
import { USERS, type SearchFlags } from "../../../search/flags.ts";
import { readQuery, type TypedQuery } from "../../../search/read.ts";
import { onlyOne, lookUp } from "../look-up.ts";
import { isAddress, readNames, type NameFlags } from "../names.ts";

export interface DeleteOptions extends SearchFlags, NameFlags, Flags<"expect" | "receipt", "dryRun" | "yes"> {
  readonly max: string;
}

/** The users to delete: every id once. */
export interface Targets {
  readonly ids: readonly string[];
  /** Those that the service has returned, by id, in the order of the ids. */
  readonly users: ReadonlyMap<string, User>;
  /** The addresses of a list that no user has. */
  readonly strangers: readonly string[];
  /** Undefined without a query. */
  readonly typed?: TypedQuery;
  /** Whether standard input was read, so that it cannot confirm. */
  readonly tookStdin: boolean;
}

const NONE_DELETED = " No users were deleted.";

export async function readTargets(
  context: Context,
  client: Client,
  args: readonly string[],
  flags: DeleteOptions,
): Promise<Targets> {
  const isQuery = flags.query !== undefined;
  if (isQuery && (args.length > 0 || flags.file !== undefined || flags.column !== undefined))
    throw new UsageError(
      `Use ids or --query, not both.${NONE_DELETED}`,
      args.some((word) => /[:<>]/.test(word))
        ? `--query takes one argument. Quote all of it: --query ${quoted([...flags.query!, ...args].join(" "))}`
        : "Omit one of them.",
    );
  if (isQuery) return search(context, client, flags);
  if (args.length === 0 && flags.file === undefined && flags.column === undefined)
    throw new UsageError(
      "No users given.",
      "Give ids or e-mail addresses, - or --file <file> to read them, or --query 'email:*@acme.test'.",
    );
  const { typed, listed, tookStdin } = await readNames(context, args, flags, NONE_DELETED);
  // All of them are known before anything is deleted.
  const withAddress = await lookUp(client, "email", [...typed, ...listed].filter(isAddress));
  const users = new Map<string, User>();
  const ids = new Set<string>();
  const strangers = new Set<string>();
  const add = (name: string, isListed: boolean): void => {
    if (!isAddress(name)) return void ids.add(name);
    const found = withAddress(name).filter(({ data }) => mailboxOf(data.email) === mailboxOf(name));
    // A list may be older than the last deletion; what is typed is meant.
    if (isListed && found.length === 0) return void strangers.add(name);
    const user = onlyOne(found, name, NONE_DELETED);
    users.set(user.id, user);
    ids.add(user.id);
  };
  for (const name of typed) add(name, false);
  for (const name of listed) add(name, true);
  return { ids: [...ids], users, strangers: [...strangers], tookStdin };
}

/**
 * What is before the @, ignoring case. A search also ignores the variants of a character, but a mail server may not: a list
 * with `ａda@acme.test` must not delete `ada@acme.test`.
 */
function mailboxOf(address: string): string {
  return foldCase(address.slice(0, address.lastIndexOf("@")).normalize("NFC"));
}

/** The same with the users of all ids. */
export async function withUsers(client: Client, targets: Targets): Promise<Targets> {
  const { ids, users } = targets;
  const withId = await lookUp(
    client,
    "id",
    ids.filter((id) => !users.has(id)),
  );
  const found = ids.flatMap((id) => users.get(id) ?? withId(id));
  return { ...targets, users: new Map(found.map((user) => [user.id, user])) };
}

async function search(context: Context, client: Client, flags: DeleteOptions): Promise<Targets> {
  const typed = readQuery(context, USERS, [], flags);
  const { query, unknown } = typed;
  // A search may try a field that svc does not know; a deletion must not.
  if (!query) throw new UsageError(`No users were deleted: ${unknown.message}.`, unknown.hint);
  refuseEveryone(query);
  const users = new Map<string, User>();
  for await (const user of pages((page) => client.users.search(query, page), {})) users.set(user.id, user);
  return { ids: [...users.keys()], users, strangers: [], typed, tookStdin: false };
}

/** An empty variable makes `email:*@$DOMAIN` into `email:*@`, and its negation matches everyone. */
function refuseEveryone(query: Query): void {
  const isWildcard = ({ operator }: Term): boolean => ["starts", "ends", "contains"].includes(operator);
  const blank = termsIn(query).find((term) => isWildcard(term) && !/[\p{L}\p{N}]/u.test(term.value));
  if (blank)
    throw new UsageError(
      `"${printTerm(blank)}" would match everyone, or no one. Was a variable empty? No users were deleted.`,
      "To delete everyone, give a date: --query 'created_at>=2000-01-01'",
    );
}
