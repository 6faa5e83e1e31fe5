import type { Page } from "../../wire/endpoints.ts";
import { MAX_PAGE_SIZE } from "../../wire/names.ts";

/** A page, and the answer's headers, which name the next. */
type PageCall<Row> = {
  withResponse(): Promise<{ data: Row[]; response: { headers: { get(name: string): string | null } } }>;
};

/**
 * All rows of a list, asked for page by page while they are taken.
 * A service that knows no pages answers with everything at once.
 */
export async function* pages<Row>(
  fetchPage: (page: Page) => PageCall<Row>,
  { limit = Infinity, after }: Page,
): AsyncGenerator<Row> {
  let left = limit;
  for (let from = after; ;) {
    const size = Math.min(left, MAX_PAGE_SIZE);
    const { data, response } = await fetchPage({
      limit: size,
      ...(from !== undefined && { after: from }),
    }).withResponse();
    yield* data.slice(0, left);
    left -= data.length;
    const next = afterOf(response.headers.get("link"));
    if (left <= 0 || next === undefined || next === from) return;
    from = next;
  }
}

/** `after` of the link to the next page (RFC 8288). */
function afterOf(link: string | null): string | undefined {
  const url = /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(link ?? "")?.[1];
  return url === undefined || !URL.canParse(url) ? undefined : (new URL(url).searchParams.get("after") ?? undefined);
}
