import type { ListCall } from "../../client/list.ts";
import { type Page, MAX_PAGE_SIZE } from "../../wire/http/request.ts";

/**
 * The rows of a list, at most `limit`, asked for page by page while they are taken.
 * A service that knows no pages answers with everything at once.
 * @param onMore called if there are more rows than the limit. Without it none beyond the limit are requested
 * @param keeps whether a row counts at all
 */
export async function* pages<Row>(
  list: (page: Page) => ListCall<Row>,
  { limit = Infinity, ...page }: Page,
  onMore?: () => void,
  keeps?: (row: Row) => boolean,
): AsyncGenerator<Row> {
  const wanted = onMore ? limit + 1 : limit;
  if (wanted <= MAX_PAGE_SIZE && !keeps) {
    const rows = await list({ limit: wanted, ...page });
    if (rows.length > limit) onMore?.();
    return yield* rows.slice(0, limit);
  }
  let left = limit;
  for await (const row of list(page)) {
    if (keeps?.(row) === false) continue;
    if (left-- === 0) return onMore?.();
    yield row;
    if (left === 0 && !onMore) return;
  }
}
