import { isLoopback } from "../../http/address.ts";
import { isPrefetch } from "../../http/headers.ts";

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
