import type { Client } from "../../../../client/client.ts";
import { isUuid } from "../../../../wire/names.ts";
import { parseQuery, QueryError, type Query } from "../../../../wire/query.ts";
import type { User } from "../../../../wire/resources.ts";
import { readStdin, type Context } from "../../../context.ts";
import { CliError, EXIT } from "../../../errors.ts";
import { pages } from "../../../list/pages.ts";
import { USERS, type SearchFlags } from "../../../search/flags.ts";
import { readQuery } from "../../../search/read.ts";

/** Who is to be deleted: every id once. */
export interface Targets {
  readonly ids: readonly string[];
  /** Those that a search has found. */
  readonly users?: readonly User[];
  readonly query?: string;
  /** Whether standard input was read for it, and so can't answer questions any more. */
  readonly tookStdin: boolean;
}

/** @throws {CliError} where that is nobody, or can't be known for certain */
export async function readTargets(
  context: Context,
  client: Client,
  args: readonly string[],
  flags: SearchFlags,
): Promise<Targets> {
  const isQuery = flags.query !== undefined || flags.queryFile !== undefined;
  if (isQuery && args.length > 0)
    throw new CliError(EXIT.usage, "Ids and a query are two ways to say whom.", "Leave out one of them.");
  if (isQuery) return search(context, client, flags);
  if (args.length === 0)
    throw new CliError(
      EXIT.usage,
      "Delete whom?",
      "Name ids, or - to read them from standard input, or --query 'email:*@acme.com'.",
    );
  const tookStdin = args.includes("-");
  const ids = args.filter((argument) => argument !== "-").map((argument) => checkedId(argument));
  const lines = tookStdin ? (await readStdin(context)).split("\n") : [];
  for (const [i, line] of lines.entries()) if (line.trim() !== "") ids.push(checkedId(line.trim(), i + 1));
  return { ids: [...new Set(ids)], tookStdin };
}

async function search(context: Context, client: Client, flags: SearchFlags): Promise<Targets> {
  const query = await readQuery(context, USERS, [], flags);
  refuseEveryone(parsed(query));
  const users: User[] = [];
  for await (const user of pages((page) => client.users.search(query, page), {})) users.push(user);
  return { ids: users.map(({ id }) => id), users, query, tookStdin: flags.queryFile === "-" };
}

/** A search shows what a service makes of an unknown field. A deletion does not try that out. */
function parsed(query: string): Query {
  try {
    return parseQuery(query, USERS.fields);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new CliError(EXIT.usage, `Nobody was deleted: ${error.message}.`.replace(/\.\.$/, "."));
  }
}

/** A variable that is empty makes `email:*@acme.com` into `email:*`. */
function refuseEveryone(query: Query): void {
  const isNarrow = query.some(
    ({ values, range, excluded }) =>
      excluded.length > 0 || range.length > 0 || (values.length > 0 && values.every(({ value }) => value !== "")),
  );
  if (!isNarrow)
    throw new CliError(
      EXIT.usage,
      "This query matches everybody. Was a variable empty?",
      "If that is what you mean, write it with a date: --query 'created_at>=2000-01-01'",
    );
}

function checkedId(text: string, line?: number): string {
  if (isUuid(text)) return text;
  const where = line === undefined ? "" : `Line ${line} of standard input: `;
  throw new CliError(
    EXIT.usage,
    `${where}"${text.slice(0, 100)}" is not the id of a user. Nobody was deleted.`,
    /[:<>=]/.test(text) ? "To delete whom a search finds: --query 'email:*@acme.com'" : undefined,
  );
}
