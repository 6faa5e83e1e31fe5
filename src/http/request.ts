export type ParamsIn<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParamsIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never;

/** The path and query that a request of a route has: `GET /users/:id`. What is undefined in the query is left out. */
export function requestPath(route: string, params: Readonly<Record<string, string>> = {}, query: object = {}): string {
  const path = route
    .slice(route.indexOf("/"))
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  return pairs.length === 0 ? path : `${path}?${pairs.map(encodePair).join("&")}`;
}

/** `name=value`, with a space as `%20`: a strict reader takes `+` for itself. */
export function encodePair([name, value]: readonly [name: string, value: unknown]): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`;
}

/** An address without slashes at its end, so that a path can follow. */
export function trimSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

export const MAX_PAGE_SIZE = 1000;
/** What `after` of a list means. */
export const AFTER = "Start after this record: its id, or what the Link header of the previous page has here";

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
