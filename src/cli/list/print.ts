import { plainText } from "../../text/json.ts";
import type { ListCall } from "../../client/request.ts";
import { type Page, MAX_PAGE_SIZE } from "../../http/request.ts";
import type { Context } from "../context.ts";
import { formatOf, type Format, type OutputFlags } from "../output/flags.ts";
import { harmlessData, say, printJson, printRecord } from "../output/text.ts";
import { valueIn, type Column, type Listed, type ListFlags } from "./columns.ts";
import {
  csv,
  json,
  ndjson,
  tsv,
  type Chunks,
  type Rows,
  picked,
  table,
  type TableOptions,
  wordsOf,
  writeAll,
} from "./formats.ts";

interface ListOptions<Row> {
  /** The message to a person if there are no rows. */
  readonly none?: string;
  /** The columns, unless all. */
  readonly chosen?: readonly Column<Row>[] | undefined;
  /** What else to tell a person below a table, known when it is complete. */
  readonly more?: () => string | undefined;
}

/** Prints rows as they arrive, in the chosen format. */
export async function printList<Row>(
  context: Context,
  flags: OutputFlags & Pick<ListFlags, "count">,
  listed: Listed<Row>,
  rows: Rows<Row>,
  { none, chosen, more }: ListOptions<Row> = {},
): Promise<void> {
  let count = 0;
  const counted = (async function* () {
    for await (const row of rows) {
      count++;
      yield row;
    }
  })();
  if (flags.count) {
    for await (const _ of counted);
    context.stdout.write(`${count}\n`);
    return;
  }
  const format = formatOf(flags, context);
  let narrow: string | undefined;
  const onNarrow = (what: string): void => void (narrow = what);
  await writeAll(context.stdout, encode(context, format, { ...flags, onNarrow }, listed, chosen, counted));
  // A person may read the rest through another program.
  const isForProgram = format === "json" || format === "ndjson";
  if (count === 0 && context.stderr.isTTY && !isForProgram && none !== undefined) say(context, none);
  if (!isTable(format)) return;
  for (const note of [narrow, more?.()]) if (note !== undefined) say(context, note);
}

export function isTable(format: Format): boolean {
  return format === "table" || format === "wide";
}

function encode<Row>(
  context: Context,
  format: Format,
  flags: OutputFlags & TableOptions,
  listed: Listed<Row>,
  chosen: readonly Column<Row>[] | undefined,
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
      return tsv(rows, chosen ?? listed.columns);
    case "wide":
      return table(rows, chosen ?? listed.columns, context, { ...flags, isWide: true });
    case "table": {
      const usual = listed.columns.filter(({ title }) => title !== undefined);
      return table(rows, chosen?.map((column) => ({ ...column, isSpare: false })) ?? usual, context, flags);
    }
  }
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
  if (format !== undefined && !isTable(format)) return printList(context, flags, listed, [row], { chosen });
  const [only, ...others] = chosen ?? [];
  if (only && others.length === 0) return void context.stdout.write(`${harmlessData(plainText(valueIn(only, row)))}\n`);
  const isForPerson = context.stdout.isTTY && !flags.utc;
  const now = context.now();
  printRecord(
    context,
    Object.fromEntries(
      (chosen ?? listed.columns).map((column) => {
        if (context.stdout.isTTY && Array.isArray(column.as)) return [column.name, wordsOf(column, row, now)];
        const plain = plainText(valueIn(column, row));
        const isToldAgo = isForPerson && column.as === "time" && plain !== "";
        return [column.name, isToldAgo ? `${plain} (${wordsOf(column, row, now)})` : plain];
      }),
    ),
  );
}

/**
 * The rows of a list, at most `limit`, asked for page by page while they are taken.
 * A service that knows no pages answers with everything at once.
 * @param onMore called if there are more than the limit. Without it none beyond the limit are requested
 * @param keeps whether a row counts at all
 */
export async function* pages<Row>(
  list: (page: Page) => ListCall<Row>,
  { limit = Infinity }: Page,
  onMore?: () => void,
  keeps?: (row: Row) => boolean,
): AsyncGenerator<Row> {
  const wanted = onMore ? limit + 1 : limit;
  if (wanted <= MAX_PAGE_SIZE && !keeps) {
    const rows = await list({ limit: wanted });
    if (rows.length > limit) onMore?.();
    return yield* rows.slice(0, limit);
  }
  let left = limit;
  for await (const row of list({})) {
    if (keeps?.(row) === false) continue;
    if (left-- === 0) return onMore?.();
    yield row;
    if (left === 0 && !onMore) return;
  }
}
