/**
 * Whether a request would open a WebSocket, which nothing of svc speaks. Any page may send one to any address, and browsers
 * add no `Sec-Fetch-*` to it that would tell it from a navigation. Any other `Upgrade` is ignored (RFC 9110, 7.8): some
 * clients offer `h2c` with every first request.
 * @param header by its name in lower case
 */
export function isWebSocketHandshake(header: (name: string) => string | undefined): boolean {
  return header("sec-websocket-key") !== undefined || (header("upgrade")?.toLowerCase().includes("websocket") ?? false);
}
