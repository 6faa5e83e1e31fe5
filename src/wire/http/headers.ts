/** The cookies of a `Cookie` header in their order. A name may come twice: another site of the same domain may have set one. */
export function cookiesIn(header: string): [name: string, value: string][] {
  return header
    .split(";")
    .map(withoutSpace)
    .filter((pair) => pair.includes("="))
    .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
}

/** The values of the cookies with a name. With two of them neither is to be trusted. */
export function valuesOf(header: string, name: string): string[] {
  return cookiesIn(header).flatMap(([own, value]) => (own === name ? [value] : []));
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
