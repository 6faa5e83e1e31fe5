import type { ListCall } from "../../client/list.ts";
import type { Page } from "../../wire/endpoints.ts";
import { MAX_PAGE_SIZE } from "../../wire/names.ts";

/**
 * The rows of a list, at most `limit`, asked for page by page while they are taken.
 * A service that knows no pages answers with everything at once.
 */
export async function* pages<Row>(
  list: (page: Page) => ListCall<Row>,
  { limit = Infinity, ...page }: Page,
): AsyncGenerator<Row> {
  if (limit <= MAX_PAGE_SIZE) {
    const rows = await list({ limit, ...page });
    return yield* rows.slice(0, limit);
  }
  let left = limit;
  for await (const row of list(page)) {
    yield row;
    if (--left === 0) return;
  }
}
