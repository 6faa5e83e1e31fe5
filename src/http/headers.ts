/**
 * The cookies of a `Cookie` header, by name. One that came twice is empty: neither is to be trusted, as another site of the
 * same domain may have set one of them.
 */
export function cookiesIn(header: string): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header.split(";").map(withoutSpace)) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at);
    if (at >= 0) cookies.set(name, cookies.has(name) ? "" : pair.slice(at + 1));
  }
  return cookies;
}

/** Not by a regular expression: one that looks for the last space takes quadratic time for spaces in the middle. */
function withoutSpace(text: string): string {
  let [start, end] = [0, text.length];
  while (isSpace(text[start])) start++;
  while (end > start && isSpace(text[end - 1])) end--;
  return text.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\t";
}

/**
 * Whether a request would open a WebSocket, which nothing of svc speaks. Any page may send one to any address, and browsers
 * add no `Sec-Fetch-*` to it that would tell it from a navigation. Any other `Upgrade` is ignored (RFC 9110, 7.8): some
 * clients offer `h2c` with every first request.
 * @param header by its name in lower case
 */
export function isWebSocketHandshake(header: (name: string) => string | undefined): boolean {
  return header("sec-websocket-key") !== undefined || (header("upgrade")?.toLowerCase().includes("websocket") ?? false);
}

/** Older names of what `Sec-Purpose` says: those of Chrome, Firefox and Safari. */
const PURPOSES = ["purpose", "x-moz", "x-purpose"];

/**
 * Whether a browser asks for a page that no one has chosen yet: a prefetch, prerender or preview, which must have no effect.
 * @param header by its name in lower case
 */
export function isPrefetch(header: (name: string) => string | undefined): boolean {
  if (header("sec-purpose") !== undefined) return true;
  return PURPOSES.some((name) => /prefetch|prerender|preview/i.test(header(name) ?? ""));
}
