export const MAX_PAGE_SIZE = 1000;

/**
 * Optional paging of a list: at most `limit` (1 to 1000) records, those after the user `after` (an id) or session `after` (a
 * `session_id`), or after the position that a `Link` header has in its place.
 */
export interface Page {
  limit?: number | undefined;
  after?: string | undefined;
}

/** No target contains a `<`. If one could, many of them would take quadratic time. */
const LINK = /<([^<>]*)>((?:\s*;\s*[\w-]+\*?\s*=\s*(?:"[^"]*"|[^\s",;]+))*)/g;
const IS_NEXT = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next(?=[\s;]|$))/i;

/**
 * The query of the next page that a `Link` header (RFC 8288) names. The rest of its address is ignored: a response must not
 * decide where a key is sent.
 */
export function nextPage(header: string | null): string | undefined {
  for (const [, target = "", parameters = ""] of header?.matchAll(LINK) ?? []) {
    if (IS_NEXT.test(parameters)) return /\?([^#]*)/.exec(target)?.[1];
  }
  return undefined;
}
