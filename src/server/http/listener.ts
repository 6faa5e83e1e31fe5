import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { ERRORS, errorBody, type ErrorCode } from "../../wire/errors.ts";
import type { App } from "./app.ts";
import type { ClientAddress } from "./client-address.ts";
import { lastAnswer, takeNoMore, takeRequest, watchConnections } from "./sockets.ts";
import { faultOf, fromMessage, MAX_HEADERS } from "./message.ts";
import { endEmptyBody, endWith, keepOpenAfter, setServerOptions } from "./node-internals.ts";
import type { Reply } from "./reply.ts";

const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 5_000;
/** A request with no traffic for this long is closed; longer than a provider may take. */
const IDLE_TIMEOUT_MS = 30_000;
const CHECK_EVERY_MS = 1_000;
const DRAIN_MS = 1_000;
/** A query of 8,192 bytes takes up to 24 KiB when its bytes are percent-encoded. */
const MAX_HEADER_BYTES = 32 << 10;

interface ListenerOptions {
  onBug(error: unknown): void;
  /** Whether a shutdown has begun: then answers announce that the connection will be closed. */
  isStopping(): boolean;
}

/**
 * Connects Node's HTTP server to the application. Messages that are malformed, whatever they mean, are refused here.
 */
export function createListener(
  app: Pick<App, "answer">,
  clientAddress: ClientAddress,
  { onBug, isStopping }: ListenerOptions,
): RequestListener {
  return (message, response) => {
    if (takeRequest(message.socket, response)) void answer(message, response);
  };

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const fault = faultOf(message);
      if (fault) return refuse(response, fault);
      endEmptyBody(message);
      const incoming = fromMessage(message, clientAddress(message));
      const reply = await app.answer(incoming);
      const sending = send(response, incoming.id, reply, isStopping());
      if (sending) await sending;
      // Unread bytes would be parsed as the next request.
      if (!message.complete) await drain(message);
    } catch (error) {
      // A client that disconnected is not an error.
      if (!response.destroyed && !message.destroyed) onBug(error);
      response.destroy();
    }
  }
}

/** Limits slow and endless clients, and answers in our format if Node can't parse a request. */
export function configureServer(server: Server): void {
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.timeout = IDLE_TIMEOUT_MS;
  // One more than is allowed, so that too many can be recognized.
  server.maxHeadersCount = MAX_HEADERS + 1;
  watchConnections(server);
  setServerOptions(server, { checkEveryMs: CHECK_EVERY_MS, maxHeaderSize: MAX_HEADER_BYTES });
  // An expectation that isn't understood may be ignored (RFC 9110, 10.1.1).
  server.on("checkExpectation", (message, response) => server.emit("request", message, response));
  server.on("connect", (_, socket: Socket) => {
    // Node has given up the socket, and handles nothing of it any more.
    socket.on("error", () => socket.destroy()).setTimeout(DRAIN_MS, () => socket.destroy());
    refuseConnection(socket, "bad_request");
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const code =
      error.code === "HPE_HEADER_OVERFLOW"
        ? "headers_too_large"
        : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
          ? "request_timeout"
          : "bad_request";
    refuseConnection(socket, code);
  });
}

function refuseConnection(socket: Socket, code: ErrorCode): void {
  const current = lastAnswer(socket);
  // The fault is behind the request that is being answered: its answer must not be mixed with another.
  if (current && (current.headersSent || current.req.complete))
    return void current.once("finish", () => socket.destroySoon());
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(errorBody(code));
  socket.end(
    `HTTP/1.1 ${ERRORS[code].status} ${ERRORS[code].error}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nRequest-Id: ${randomUUID()}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function refuse(response: ServerResponse, code: ErrorCode): void {
  const body = JSON.stringify(errorBody(code));
  response.writeHead(ERRORS[code].status, {
    "content-type": "application/json",
    "content-length": body.length,
    "request-id": randomUUID(),
    connection: "close",
  });
  takeNoMore(response);
  if (response.req.complete) return void response.end(body);
  keepOpenAfter(response);
  response.end(body, () => void drain(response.req));
}

/**
 * Lets a client that is still sending read the answer first: closing a connection with unread bytes resets it, and the
 * answer is lost.
 */
async function drain(message: IncomingMessage): Promise<void> {
  message.on("error", () => undefined).resume();
  await Promise.race([once(message, "end"), once(message.socket, "close"), delay(DRAIN_MS, undefined, { ref: false })]);
  message.socket.destroy();
}

/** Answers HEAD. A body that has begun is also ended: it may read from the store. */
async function endWithout(body: AsyncIterable<Uint8Array>, target: ServerResponse): Promise<void> {
  target.end();
  for await (const _ of body) break;
}

/** @returns a promise only if sending takes time */
function send(
  target: ServerResponse,
  id: string,
  { status, headers, body }: Reply,
  isStopping: boolean,
): Promise<unknown> | undefined {
  const length = typeof body === "string" ? Buffer.byteLength(body) : 0;
  const sent =
    typeof body === "string"
      ? headers.concat("request-id", id, "content-length", String(length))
      : headers.concat("request-id", id);
  // Unread bytes would be parsed as the next request.
  const isUnread = !target.req.complete;
  if (isUnread || isStopping) sent.push("connection", "close");
  target.writeHead(status, sent);
  if (isUnread) {
    takeNoMore(target);
    keepOpenAfter(target);
  }
  if (typeof body !== "string" && body !== null)
    return target.req.method === "HEAD" ? endWithout(body, target) : pipeline(body, target);
  // As many bytes as characters: ASCII.
  if (body !== null && length === body.length) endWith(target, body);
  else target.end(body);
  return isUnread ? once(target, "finish") : undefined;
}
