import { isLoopback } from "./address.ts";

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

/** Who sends a request, as far as its headers tell. */
export interface Caller {
  /** The request has a header that browsers add and that a page cannot suppress. */
  readonly isBrowser: boolean;
  /** A program, such as a test or a script, that asks a loopback host. A page cannot pose as one by itself. */
  readonly isPlainClient: boolean;
  /**
   * The request is a top-level navigation. False for a page's fetch, image, script or frame, and for a prefetch or
   * prerender. True for all else that programs send.
   */
  readonly isNavigation: boolean;
}

/** Headers that browsers add: Fetch Metadata, Upgrade Insecure Requests, Fetch and RFC 9110, 10.1.3. */
const BROWSER_HEADERS = ["sec-fetch-site", "sec-fetch-dest", "upgrade-insecure-requests", "origin", "referer"];

/**
 * @param hostname of the `Host` header, without a port
 * @param isHttps whether browsers reach the server over https
 */
export function callerOf(header: (name: string) => string | undefined, hostname: string, isHttps: boolean): Caller {
  const acceptsHtml = /text\/html/i.test(header("accept") ?? "");
  const isBrowser =
    BROWSER_HEADERS.some((name) => header(name) !== undefined) ||
    acceptsHtml ||
    /Mozilla\//i.test(header("user-agent") ?? "");
  const isNamedLoopback = isLoopback(hostname);
  const isTrustworthy = isHttps || isNamedLoopback;
  return {
    isBrowser,
    isPlainClient: !isBrowser && isNamedLoopback,
    isNavigation: !isPrefetch(header) && (!isBrowser || navigates(header, acceptsHtml, isTrustworthy)),
  };
}

/**
 * Browsers send Fetch Metadata to trustworthy addresses only: https, or loopback. To others a document's request is known
 * by Upgrade-Insecure-Requests (Upgrade Insecure Requests, 3.2.1): a page's fetch may ask for `text/html`, but can't set
 * that header without a preflight, which is refused.
 */
function navigates(
  header: (name: string) => string | undefined,
  acceptsHtml: boolean,
  isTrustworthy: boolean,
): boolean {
  if (header("sec-fetch-site") !== undefined)
    return header("sec-fetch-mode") === "navigate" && (header("sec-fetch-dest") ?? "document") === "document";
  return isTrustworthy || (acceptsHtml && header("upgrade-insecure-requests") === "1");
}
