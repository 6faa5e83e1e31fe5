import { plainText } from "../../wire/text/json.ts";
import { fold } from "../../wire/text/fold.ts";
import type { ListCall } from "../../client/request.ts";
import { type Page, MAX_PAGE_SIZE } from "../../wire/http/request.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../errors.ts";
import { formatOf, type Format, type OutputFlags } from "../output/flags.ts";
import { say, printJson, printRecord } from "../output/text.ts";
import { valueIn, type Column, type Listed } from "./columns.ts";
import type { ListFlags, ListShape } from "./flags.ts";
import {
  csv,
  ids,
  json,
  ndjson,
  tsv,
  type Chunks,
  type Rows,
  picked,
  table,
  type TableOptions,
  wordsOf,
} from "./formats.ts";
import { writeAll, writePaged } from "./write.ts";

/**
 * Prints rows as they arrive, in the chosen format.
 * @param none the message to a person if there are no rows
 * @param more what else to tell a person below a table, known when it is complete
 * @returns the exit code
 */
export async function printList<Row>(
  context: Context,
  flags: OutputFlags & Pick<ListFlags, "count" | "failEmpty">,
  listed: Listed<Row>,
  { page, sort, chosen }: ListShape<Row>,
  rows: Rows<Row>,
  none: string,
  more: () => string | undefined = () => undefined,
): Promise<ExitCode> {
  let count = 0;
  const counted = (async function* () {
    for await (const row of sort ? sorted(rows, sort, page.limit) : rows) {
      count++;
      yield row;
    }
  })();
  if (flags.count) {
    for await (const _ of counted);
    context.stdout.write(`${count}\n`);
  } else {
    const format = formatOf(flags, context);
    let narrow: string | undefined;
    const onNarrow = (what: string): void => void (narrow = what);
    const chunks = encode(context, format, { ...flags, onNarrow }, listed, chosen, counted);
    const notes = (): string[] => [narrow, more()].filter((note) => note !== undefined);
    if (isTable(format)) await writePaged(context, chunks, flags.pager !== false, notes);
    else await writeAll(context.stdout, chunks);
    if (count === 0 && isTable(format) && context.stdout.isTTY) say(context, none);
  }
  return count === 0 && flags.failEmpty ? EXIT.notFound : EXIT.done;
}

export function isTable(format: Format): boolean {
  return format === "table" || format === "wide";
}

/** The same for commands without a list's flags. @param chosen the columns, unless all */
export async function printAll<Row>(
  context: Context,
  flags: OutputFlags,
  listed: Listed<Row>,
  rows: Rows<Row>,
  none: string,
  chosen?: readonly Column<Row>[],
): Promise<void> {
  await printList(context, flags, listed, { page: {}, chosen }, rows, none);
}

function encode<Row>(
  context: Context,
  format: Format,
  flags: OutputFlags & TableOptions,
  listed: Listed<Row>,
  chosen: ListShape<Row>["chosen"],
  rows: Rows<Row>,
): Chunks {
  switch (format) {
    case "json":
      return json(rows, chosen, context);
    case "ndjson":
      return ndjson(rows, chosen);
    case "csv":
      return csv(rows, chosen ?? listed.columns, flags);
    case "tsv":
      return tsv(rows, chosen ?? listed.columns, flags.raw);
    case "ids":
      return ids(rows, listed);
    case "wide":
      return table(rows, chosen ?? listed.columns, context, { ...flags, isWide: true });
    case "table": {
      const usual = listed.columns.filter(({ title }) => title !== undefined);
      return table(rows, chosen?.map((column) => ({ ...column, isSpare: false })) ?? usual, context, flags);
    }
  }
}

/** By a column's value, whatever has none last; the limit then counts the sorted ones. */
async function* sorted<Row>(
  rows: Rows<Row>,
  { column, isDescending }: NonNullable<ListShape<Row>["sort"]>,
  limit?: number,
): AsyncGenerator<Row> {
  const all: { key: string; row: Row }[] = [];
  for await (const row of rows) all.push({ key: fold(plainText(valueIn(column, row))), row });
  all.sort((a, b) => {
    if (a.key === "" || b.key === "") return a.key === b.key ? 0 : a.key === "" ? 1 : -1;
    return (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) * (isDescending ? -1 : 1);
  });
  for (const { row } of all.slice(0, limit)) yield row;
}

/**
 * Prints one resource: a line for each of its values, or as a list of one in the formats that are lists.
 * @param chosen the columns, unless all
 */
export async function printResource<Row>(
  context: Context,
  flags: OutputFlags,
  listed: Listed<Row>,
  row: Row,
  chosen?: readonly Column<Row>[],
): Promise<void> {
  const format = flags.json ? "json" : flags.output && formatOf(flags, context);
  if (format === "json") return printJson(context, picked(row, chosen));
  if (format !== undefined && !isTable(format)) return printAll(context, flags, listed, [row], "", chosen);
  const isForPerson = context.stdout.isTTY && !flags.utc;
  const now = context.now();
  printRecord(
    context,
    Object.fromEntries(
      (chosen ?? listed.columns).map((column) => {
        if (context.stdout.isTTY && column.words) return [column.name, wordsOf(column, row, now)];
        const plain = plainText(valueIn(column, row));
        const isToldAgo = isForPerson && column.isTime && plain !== "";
        return [column.name, isToldAgo ? `${plain} (${wordsOf(column, row, now)})` : plain];
      }),
    ),
  );
}

/**
 * The rows of a list, at most `limit`, asked for page by page while they are taken.
 * A service that knows no pages answers with everything at once.
 * @param onMore called with the last row if there are more than the limit. Without it none beyond the limit are requested
 * @param keeps whether a row counts at all
 */
export async function* pages<Row>(
  list: (page: Page) => ListCall<Row>,
  { limit = Infinity, ...page }: Page,
  onMore?: (last: Row) => void,
  keeps?: (row: Row) => boolean,
): AsyncGenerator<Row> {
  const wanted = onMore ? limit + 1 : limit;
  if (wanted <= MAX_PAGE_SIZE && !keeps) {
    const rows = await list({ limit: wanted, ...page });
    if (rows.length > limit) onMore?.(rows[limit - 1]!);
    return yield* rows.slice(0, limit);
  }
  let left = limit;
  let last: Row | undefined;
  for await (const row of list(page)) {
    if (keeps?.(row) === false) continue;
    if (left-- === 0) return onMore?.(last!);
    yield (last = row);
    if (left === 0 && !onMore) return;
  }
}
