import { plainText } from "../../wire/csv.ts";
import type { ListCall } from "../../client/list.ts";
import type { Page } from "../../wire/endpoints.ts";
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import { quoted } from "../output/format.ts";
import { formatOf, type OutputFlags } from "../output/flags.ts";
import type { Collection } from "./columns.ts";
import type { ListShape } from "./flags.ts";
import { pages } from "./pages.ts";
import { isTable, printList } from "./print.ts";

/**
 * Prints a list of the service, requested page by page. A person is told if there are more.
 * @param none the message to a person if there are no results
 * @returns the exit code
 */
export async function printPages<Row>(
  context: Context,
  flags: OutputFlags,
  listed: Collection<Row>,
  shape: ListShape<Row>,
  list: (page: Page) => ListCall<Row>,
  none: string,
): Promise<ExitCode> {
  const isForPerson = context.stdout.isTTY && !shape.isCount && isTable(formatOf(flags, context));
  const id = listed.columns.find(({ name }) => name === listed.id)!;
  let last: Row | undefined;
  let hasMore = false;
  const rows = pages(list, shape.range, isForPerson ? () => (hasMore = true) : undefined);
  const seen = (async function* () {
    for await (const row of rows) yield (last = row);
  })();
  const more = (): string | undefined =>
    hasMore && last !== undefined
      ? `More ${listed.noun} exist. Raise --limit, or add --after ${quoted(plainText(id.value(last)))}`
      : undefined;
  return printList(context, flags, listed, shape, seen, none, more);
}
