import type { Context } from "../context.ts";
import { printJson, printRecord } from "../output/text.ts";
import { formatOf, type OutputFlags } from "../output/flags.ts";
import { plainText, type Listed } from "./columns.ts";
import { csv, ids, ndjson, rowsOf, tsv } from "./formats.ts";
import { wordsOf } from "./table.ts";
import { writeAll } from "./write.ts";

/** Prints one resource: a line for each of its values, or as a list of one in the formats that are lists. */
export async function printResource<Row>(
  context: Context,
  flags: OutputFlags,
  listed: Listed<Row>,
  row: Row,
): Promise<void> {
  const { columns } = listed;
  const rows = rowsOf([row]);
  switch (flags.output === undefined || flags.json ? undefined : formatOf(flags, context)) {
    case "ndjson":
      return writeAll(context.stdout, ndjson(rows, undefined));
    case "csv":
      return writeAll(context.stdout, csv(rows, columns, flags.raw));
    case "tsv":
      return writeAll(context.stdout, tsv(rows, columns, flags.raw));
    case "ids":
      return writeAll(context.stdout, ids(rows, listed));
  }
  if (flags.json) return printJson(context, row);
  const isForPerson = context.stdout.isTTY && !flags.utc;
  const now = context.now();
  printRecord(
    context,
    Object.fromEntries(
      columns.map((column) => {
        if (context.stdout.isTTY && column.words) return [column.name, wordsOf(column, row, now)];
        const plain = plainText(column.value(row));
        const isToldAgo = isForPerson && column.isTime && plain !== "";
        return [column.name, isToldAgo ? `${plain} (${wordsOf(column, row, now)})` : plain];
      }),
    ),
  );
}
