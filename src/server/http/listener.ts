import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { clearTimeout, setTimeout } from "node:timers";
import type { H3 } from "h3";
import { toNodeHandler } from "h3/node";
import { ERRORS, errorBody, type ErrorCode } from "../../wire/errors.ts";
import { MAX_BODY_BYTES } from "../../wire/route.ts";
import { endConnection, takeRequest } from "./sockets.ts";

/** What is left of a body when its answer is known is read and thrown away, if it is no longer than this and comes in time. */
const DISCARD_BYTES = MAX_BODY_BYTES;
const DISCARD_MS = 1_000;

/**
 * Connects Node's HTTP server to the application. Messages that are malformed, whatever they mean, are refused here.
 * @param onBug called with an error that interrupted an answer
 */
export function createListener(app: H3, onBug: (error: unknown) => void): RequestListener {
  const handle = toNodeHandler(app);
  return (message, response) => {
    if (!takeRequest(message.socket, response)) return;
    const fault = faultOf(message);
    if (fault) return refuse(response, fault);
    response.once("close", () => {
      if (response.errored) onBug(response.errored);
    });
    void handle(message, response);
  };
}

/**
 * Decides, when an answer is known and nothing of it was sent, what becomes of the connection. Bytes that were not read would
 * be parsed as the next request: a small body is read to its end, and with any other the answer says that it is the last one.
 * @param isLast whether the server takes no more requests
 * @returns undefined if nothing must be waited for
 */
export function settleConnection(response: ServerResponse, isLast: () => boolean): Promise<void> | undefined {
  if (!response.req.complete) return settleUnread(response, isLast);
  if (isLast()) response.setHeader("connection", "close");
  return undefined;
}

async function settleUnread(response: ServerResponse, isLast: () => boolean): Promise<void> {
  const { req } = response;
  const isRead = !isLast() && isSmall(req) && (await discard(req));
  if (!isRead) announceEnd(response);
  else if (isLast()) response.setHeader("connection", "close");
}

/** A body that was begun to be read, and is not read to its end, is too long. With `Expect` it may never come. */
function isSmall({ headers, readableDidRead }: IncomingMessage): boolean {
  const length = Number(headers["content-length"] ?? 0);
  return length <= DISCARD_BYTES && !readableDidRead && headers.expect === undefined;
}

/** @returns whether the message came to its end in time */
async function discard(message: IncomingMessage): Promise<boolean> {
  let bytes = 0;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, DISCARD_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    message.on("error", () => undefined).once("close", end);
    message.on("data", (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > DISCARD_BYTES) end();
    });
  });
  return message.complete;
}

/**
 * Closing at once would reset the connection of a client that is still sending, and lose the answer: it gets the time to send
 * what it announced. `watch` closes it when it does not.
 */
function announceEnd(response: ServerResponse): void {
  const { req } = response;
  const { socket } = req;
  endConnection(socket);
  response.setHeader("connection", "close");
  // Node calls it behind the last answer.
  socket.destroySoon = () => void socket.end();
  req.on("error", () => undefined).resume();
}

function refuse(response: ServerResponse, code: ErrorCode): void {
  const body = JSON.stringify(errorBody(code));
  announceEnd(response);
  response.writeHead(ERRORS[code].status, {
    "content-type": "application/json",
    "content-length": body.length,
    "request-id": randomUUID(),
  });
  response.end(body);
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
