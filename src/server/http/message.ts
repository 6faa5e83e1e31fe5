import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "../../wire/errors.ts";

/** The IP address of the client that sent a request. */
export type ClientAddress = (message: IncomingMessage) => string;

/** The socket's peer. IPv4 addresses arrive as IPv4-mapped IPv6 addresses on a dual-stack socket. */
export const peerOf: ClientAddress = (message) => (message.socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");

export const MAX_HEADERS = 100;

/** Of these, Node keeps the first, h3 joins all, and others between the client and here may take the last. */
const SINGLE: ReadonlySet<string> = new Set(["host", "authorization", "content-type"]);

/** What is malformed in a message, whatever its meaning. */
export function faultOf({ rawHeaders, headers, httpVersion, url = "" }: IncomingMessage): ErrorCode | undefined {
  // Node silently drops those beyond the limit.
  if (rawHeaders.length > 2 * MAX_HEADERS) return "headers_too_large";
  const once = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (once.has(name)) return "bad_request";
    once.add(name);
  }
  // Load balancers check health with HTTP/1.0, which has no Host.
  if (!once.has("host") && httpVersion !== "1.0") return "bad_request";
  if (!url.startsWith("/") && originFormOf(url, headers.host) === undefined) return "bad_request";
  if (headers["transfer-encoding"] !== undefined && headers["transfer-encoding"].toLowerCase() !== "chunked")
    return "bad_request";
  if (headers["transfer-encoding"] !== undefined && headers["content-length"] !== undefined) return "bad_request";
  return undefined;
}

/** Path and query of a message that `faultOf` accepted, with the leading `/`. */
export function targetOf({ url = "/", headers }: IncomingMessage): string {
  return url.startsWith("/") ? url : (originFormOf(url, headers.host) ?? "/");
}

/** The path of a target in absolute form (RFC 9112, 3.2.2), which must name the same host as `Host`. */
function originFormOf(target: string, host: string | undefined): string | undefined {
  const [, authority, path] = /^https?:\/\/([^/?]*)(.*)$/i.exec(target) ?? [];
  if (authority === undefined || authority.toLowerCase() !== host?.toLowerCase()) return undefined;
  return path!.startsWith("/") ? path : `/${path}`;
}
