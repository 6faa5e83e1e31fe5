import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { H3 } from "h3";
import { toNodeHandler } from "h3/node";
import { ERRORS, errorBody, type ErrorCode } from "../../wire/errors.ts";
import { endConnection, takeRequest } from "./sockets.ts";

const DRAIN_MS = 1_000;

/**
 * Connects Node's HTTP server to the application. Messages that are malformed, whatever they mean, are refused here.
 * @param app is created when the server listens, because its addresses contain the port
 * @param onBug called with an error that interrupted an answer
 */
export function createListener(app: Promise<H3>, onBug: (error: unknown) => void): RequestListener {
  const handling = app.then(toNodeHandler);
  return (message, response) => {
    if (!takeRequest(message.socket, response)) return;
    const fault = faultOf(message);
    if (fault) {
      endConnection(message.socket);
      // Whether the message has come to its end is known when the bytes that began it were read.
      setImmediate(refuse, response, fault);
      return;
    }
    response.once("close", () => {
      if (response.errored) onBug(response.errored);
    });
    void handling.then((handle) => handle(message, response));
  };
}

/**
 * Decides, when an answer is known and nothing of it was sent, what becomes of the connection. Bytes that were not read would
 * be parsed as the next request, so nothing more is taken from it then; but closing it at once would reset it, and lose the
 * answer: the client gets the time to send what it announced.
 * @param isLast whether the server takes no more requests
 */
export function settleConnection(response: ServerResponse, isLast: boolean): void {
  const { req } = response;
  if (req.complete) {
    if (isLast) response.setHeader("connection", "close");
    return;
  }
  endConnection(req.socket);
  // Node closes the connection itself behind an answer that says so.
  response.shouldKeepAlive = true;
  response.removeHeader("connection");
  response.once("finish", () => void drain(req));
}

function refuse(response: ServerResponse, code: ErrorCode): void {
  const body = JSON.stringify(errorBody(code));
  settleConnection(response, true);
  response.writeHead(ERRORS[code].status, {
    "content-type": "application/json",
    "content-length": body.length,
    "request-id": randomUUID(),
  });
  response.end(body);
}

async function drain(message: IncomingMessage): Promise<void> {
  message.on("error", () => undefined).resume();
  await Promise.race([once(message, "end"), once(message.socket, "close"), delay(DRAIN_MS, undefined, { ref: false })]);
  message.socket.destroy();
}

export type ClientAddress = (message: IncomingMessage) => string;

/** The socket's peer. */
export function peerOf({ socket }: Pick<IncomingMessage, "socket">): string {
  return unmapped(socket.remoteAddress ?? "");
}

/** IPv4 addresses arrive as IPv4-mapped IPv6 addresses on a dual-stack socket. */
export function unmapped(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, "");
}

export const MAX_HEADERS = 100;

/** Of these, Node keeps the first, h3 joins all, and others between the client and here may take the last. */
const SINGLE: ReadonlySet<string> = new Set(["host", "authorization", "content-type"]);

/** What is malformed in a message, whatever its meaning. */
export function faultOf({ rawHeaders, headers, httpVersion, url = "" }: IncomingMessage): ErrorCode | undefined {
  // Node silently drops those beyond the limit.
  if (rawHeaders.length > 2 * MAX_HEADERS) return "headers_too_large";
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (seen.has(name)) return "bad_request";
    seen.add(name);
  }
  // Load balancers check health with HTTP/1.0, which has no Host.
  if (!seen.has("host") && httpVersion !== "1.0") return "bad_request";
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
