import { plainText } from "../../wire/text/json.ts";
import type { Context } from "../context.ts";
import { printJson, printRecord } from "../output/text.ts";
import { formatOf, type OutputFlags } from "../output/flags.ts";
import type { Column, Listed } from "./columns.ts";
import { picked } from "./formats.ts";
import { isTable, printAll } from "./print.ts";
import { wordsOf } from "./table.ts";

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
        const plain = plainText(column.value(row));
        const isToldAgo = isForPerson && column.isTime && plain !== "";
        return [column.name, isToldAgo ? `${plain} (${wordsOf(column, row, now)})` : plain];
      }),
    ),
  );
}
