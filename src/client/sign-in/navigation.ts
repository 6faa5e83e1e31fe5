import { headerOf, type RequestLike } from "../request-headers.ts";

/**
 * Who asks, if it is not a person who goes from page to page; undefined if it is one, or a program. Browsers send Fetch
 * Metadata to https and to loopback, but none of it with a WebSocket's handshake.
 */
export function askedBy(request: RequestLike): "websocket" | "prefetch" | "embedded" | undefined {
  const upgrade = headerOf(request, "upgrade") ?? "";
  if (/websocket/i.test(upgrade) || headerOf(request, "sec-websocket-key") !== undefined) return "websocket";
  const purposes = ["sec-purpose", "purpose", "x-moz"].map((name) => headerOf(request, name) ?? "");
  if (purposes.some((purpose) => /prefetch|prerender|preview/i.test(purpose))) return "prefetch";
  if (headerOf(request, "sec-fetch-site") === undefined) return undefined;
  // A navigation that the application's own service worker passes on has the destination `empty`.
  const isNavigation = headerOf(request, "sec-fetch-mode") === "navigate";
  const isPage = ["document", "empty"].includes(headerOf(request, "sec-fetch-dest") ?? "document");
  return isNavigation && isPage ? undefined : "embedded";
}

/** Whether a page of another site sent the browser here. */
export function isFromAnotherSite(request: RequestLike): boolean {
  return headerOf(request, "sec-fetch-site") === "cross-site";
}
