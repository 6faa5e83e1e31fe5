import type { Command } from "commander";
import type { Client } from "../../client/client.ts";
import type { ListCall } from "../../client/request.ts";
import type { Page } from "../../http/request.ts";
import { printQuery, type Query } from "../../wire/search/query.ts";
import { inWords } from "../../wire/search/query-words.ts";
import { runs, type CommandHelp, type GlobalFlags } from "../command.ts";
import { openClient } from "../connection/client.ts";
import type { Context, Surroundings } from "../context.ts";
import { UsageError } from "../errors.ts";
import { addListFlags, chosenBy, SCREEN, type Collection, type Column, type ListFlags } from "../list/columns.ts";
import { pages, isTable, printList } from "../list/print.ts";
import { formatOf, printsRows } from "../output/flags.ts";
import { printJson, printRecord } from "../output/text.ts";
import { numberFrom } from "../quantities.ts";
import { addSearchFlags, pastedAddress, type Searched, type SearchFlags } from "../search/flags.ts";
import { nothingFound, SEARCH_NOTES } from "../search/hints.ts";
import { readQuery, type Filter, type TypedQuery } from "../search/read.ts";
import { lookUp, onlyOne } from "./users/look-up.ts";
import { isAddress } from "./users/names.ts";

/** Users or sessions, and how to list and search them. */
export interface Records<Row> {
  readonly columns: Collection<Row>;
  readonly searched: Searched;
  /** How they are listed, such as `newest first`. */
  readonly order: string;
  readonly examples: Readonly<Record<"list" | "search", NonNullable<CommandHelp["examples"]>>>;
  /** The client's methods. */
  of(client: Client): {
    list(page: Page): ListCall<Row>;
    search(query: string | Query, page: Page): ListCall<Row>;
  };
}

type ListOptions = GlobalFlags & ListFlags;
type Named = Parameters<Filter["keeps"]>[0];
type SearchOptions = ListOptions & SearchFlags & { readonly explain?: boolean };

export function addListAndSearch<Row extends Named>(
  group: Command,
  context: Surroundings,
  records: Records<Row>,
): void {
  const { columns, searched, order, examples } = records;
  const list = printsRows(group.command("list")).description(`print all ${columns.noun}, ${order}`);
  runs(
    addListFlags(list, columns),
    context,
    { on: "instance" },
    (chosen, options: ListOptions) => runList(chosen, options, records),
    {
      examples: examples.list,
    },
  );

  const search = printsRows(group.command("search")).description(`print the ${columns.noun} that match`);
  addListFlags(
    addSearchFlags(search, searched).option("--explain", "print what the search means, instead of sending it"),
    columns,
  );
  // A negated term looks like options to commander: it comes with the terms, and so does a mistake.
  search.allowUnknownOption().hook("preAction", () => refuseOptions(search));
  const run = (chosen: Context, options: SearchOptions, terms: string[]) => runSearch(chosen, options, records, terms);
  runs(search, context, { on: "instance" }, run, { examples: examples.search, notes: SEARCH_NOTES(searched) });
}

function refuseOptions(command: Command): void {
  const wrong = command.args.find((word) => /^-(?:-|[^:<>=]*$)/.test(word))?.split("=")[0];
  if (wrong !== undefined) command.error(`error: unknown option '${wrong}'`);
}

export async function runList<Row>(context: Context, options: ListOptions, records: Records<Row>): Promise<void> {
  const { columns } = records;
  const chosen = chosenBy(options.fields, columns);
  const { list } = records.of(await openClient(context));
  await printPages(context, options, columns, chosen, list, `There are no ${columns.noun} yet.`);
}

export async function runSearch<Row extends Named>(
  context: Context,
  options: SearchOptions,
  records: Records<Row>,
  terms: readonly string[],
): Promise<void> {
  const { columns, searched } = records;
  const typed = readQuery(context, searched, terms, await withIds(context, options));
  if (options.explain) return explain(context, options, searched, typed);
  const chosen = chosenBy(options.fields, columns);
  const { search } = records.of(await openClient(context));
  const found = (page: Page): ListCall<Row> => search(typed.query ?? typed.text, page);
  try {
    const listed = withSearched(columns, typed.query);
    await printPages(context, options, listed, chosen, found, nothingFound(typed, searched), typed.filter?.keeps);
  } catch (error) {
    // A service may know fewer fields, or more.
    if ((error as { code?: string }).code !== "invalid_query") throw error;
    throw Object.assign(error as Error, { hint: typed.unknown?.hint });
  }
}

/** The same with the ids of users whose present addresses `--user` names: a session keeps the address of its sign-in. */
async function withIds<Options extends GlobalFlags & SearchFlags>(
  context: Context,
  options: Options,
): Promise<Options> {
  const addresses = options.user?.map(pastedAddress).filter(isAddress) ?? [];
  if (addresses.length === 0) return options;
  const withAddress = await lookUp(await openClient(context), "email", addresses);
  const user = options.user?.map((given) => {
    const name = pastedAddress(given);
    return isAddress(name) ? onlyOne(withAddress(name), name).id : given;
  });
  return { ...options, user };
}

/** Prints what a search means, and its query on the wire. Sends nothing. */
function explain(context: Context, { json }: GlobalFlags, { noun }: Searched, typed: TypedQuery): void {
  const { query, unknown, filter } = typed;
  if (!query) throw new UsageError(`Cannot explain this search: ${unknown.message}.`, unknown.hint);
  const finer = filter === undefined ? "" : `; of these, those whose ${filter.inWords}`;
  const explanation = { means: inWords(query, noun) + finer, query: printQuery(query) };
  if (json) printJson(context, explanation);
  else printRecord(context, explanation);
}

/** What was searched for is never left out of a narrow table. */
function withSearched<Row>(listed: Collection<Row>, query: Query = []): Collection<Row> {
  const fields = new Set(query.map(({ field }) => field));
  const columns = listed.columns.map((column) =>
    fields.has(column.name) ? { ...column, title: column.title ?? column.name.toUpperCase(), isSpare: false } : column,
  );
  return { ...listed, columns };
}

/**
 * Prints a list of the service, requested page by page. A person is shown a screenful, and told if there are more.
 * @param none the message to a person if there are no results
 * @param keeps whether a row is shown and counted
 */
async function printPages<Row>(
  context: Context,
  flags: ListOptions,
  listed: Collection<Row>,
  chosen: readonly Column<Row>[] | undefined,
  list: (page: Page) => ListCall<Row>,
  none: string,
  keeps?: (row: Row) => boolean,
): Promise<void> {
  const isForPerson = context.stdout.isTTY && !flags.count && isTable(formatOf(flags, context));
  const given = flags.limit === undefined ? undefined : numberFrom("--limit", flags.limit, 1, 999_999_999);
  const limit = given ?? (isForPerson ? SCREEN : undefined);
  let more: string | undefined;
  const onMore = (): void => {
    more = `More ${listed.noun} exist. To see them: --limit ${limit! * 10}, or a file: --output csv`;
  };
  const rows = pages(list, { ...(limit !== undefined && { limit }) }, isForPerson ? onMore : undefined, keeps);
  await printList(context, flags, listed, rows, { none, chosen, more: () => more });
}
