import { isLoopback } from "../../wire/loopback.ts";

/** Who sends a request, as far as its headers tell. */
export interface Caller {
  /** It has a mark that browsers leave, and that no page can make its browser leave out. */
  readonly isBrowser: boolean;
  /** A program, such as a test or a script, that asks at a loopback name. A page can be one only through another program. */
  readonly isPlainClient: boolean;
  /**
   * A browser goes to this address now and shows what comes back in a window of its own. False for a page's fetch,
   * image, script or frame, and for a prefetch or prerender. Programs always navigate.
   */
  readonly isNavigation: boolean;
}

/** What a browser adds by itself: Fetch Metadata, Upgrade Insecure Requests, Fetch and RFC 9110, 10.1.3. */
const BROWSER_HEADERS = ["sec-fetch-site", "sec-fetch-dest", "upgrade-insecure-requests", "origin", "referer"];

/**
 * @param hostname the name that was asked, without a port
 * @param isHttps whether browsers reach the server over https
 */
export function callerOf(header: (name: string) => string | undefined, hostname: string, isHttps: boolean): Caller {
  const acceptsHtml = /text\/html/i.test(header("accept") ?? "");
  const isBrowser =
    BROWSER_HEADERS.some((name) => header(name) !== undefined) ||
    acceptsHtml ||
    /Mozilla\//i.test(header("user-agent") ?? "");
  const isNamedLoopback = isLoopback(hostname);
  const isPrefetch = header("sec-purpose") !== undefined;
  return {
    isBrowser,
    isPlainClient: !isBrowser && isNamedLoopback,
    isNavigation: !isBrowser || (!isPrefetch && navigates(header, acceptsHtml, isHttps || isNamedLoopback)),
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
