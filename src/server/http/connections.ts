import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import { Server as HttpsServer } from "node:https";
import type { Socket } from "node:net";
import { clearInterval, setInterval } from "node:timers";
import { ERRORS, errorBody, type ErrorCode } from "../../wire/errors.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import { MAX_HEADERS } from "./listener.ts";
import { endConnection, openConnections, track, type OpenConnection } from "./sockets.ts";

const KEEP_ALIVE_MS = 5_000;
/** A request with no traffic for this long is closed; longer than a provider may take. */
const IDLE_TIMEOUT_MS = 30_000;
/** A query of 8,192 bytes takes up to 24 KiB when its bytes are percent-encoded. */
const MAX_HEADER_BYTES = 32 << 10;

/** The first byte of a handshake of TLS (RFC 8446, 5.1). */
const HANDSHAKE = 0x16;

/**
 * Limits slow, endless and too many clients, and answers in our format if Node can't parse a request.
 * @param onOtherScheme called for each client that speaks https to a server without it, or http to one with it
 */
export function configureServer(server: Server, limit: ConnectionLimit, onOtherScheme?: () => void): void {
  const isTls = server instanceof HttpsServer;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.timeout = IDLE_TIMEOUT_MS;
  // One more than is allowed, so that too many can be recognized.
  server.maxHeadersCount = MAX_HEADERS + 1;
  // Options of `createServer` alone, to which listhen passes none. Requests without Host are answered by us, as all errors are.
  Object.assign(server, { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false });
  acceptConnections(server, limit, isTls);
  // An expectation that isn't understood may be ignored (RFC 9110, 10.1.1).
  server.on("checkExpectation", (message, response) => server.emit("request", message, response));
  server.on("connect", (_, socket: Socket) => {
    // Node has given up the socket, and handles nothing of it any more.
    socket.on("error", () => socket.destroy());
    refuseConnection(socket, "bad_request");
  });
  server.on("clientError", ({ code, rawPacket }: ClientError, socket: Socket) => {
    if (!isTls && rawPacket?.[0] === HANDSHAKE) onOtherScheme?.();
    refuseConnection(socket, code === "HPE_HEADER_OVERFLOW" ? "headers_too_large" : "bad_request");
  });
  server.on("tlsClientError", ({ code }: ClientError) => {
    if (code === "ERR_SSL_HTTP_REQUEST") onOtherScheme?.();
  });
}

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

function acceptConnections(server: Server, limit: ConnectionLimit, isTls: boolean): void {
  /** By the client's address and port: under TLS, HTTP is spoken on another socket. */
  const handshakes = new Map<string, { readonly isRefused: boolean; end(): void }>();
  server.on("connection", (socket) => {
    const admission = limit.take(socket);
    if (admission === "dropped") return void socket.destroy();
    const isRefused = admission === "refused";
    const end = watch(server, socket, !isTls);
    if (isTls) {
      const peer = peerOf(socket);
      handshakes.set(peer, { isRefused, end });
      socket.once("close", () => handshakes.delete(peer));
    } else if (isRefused) refuseConnection(socket, "too_many_connections");
  });
  server.on("secureConnection", (socket: Socket) => {
    const handshake = handshakes.get(peerOf(socket));
    handshake?.end();
    watch(server, socket, true);
    if (handshake?.isRefused) refuseConnection(socket, "too_many_connections");
  });
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function refuseLate({ socket, isHttp, message, last }: OpenConnection): void {
  const isAnswered = message && !message.complete && !last;
  if (!isHttp || isAnswered) socket.destroy();
  else refuseConnection(socket, "request_timeout");
}

/** Answers a client whose request can't be taken, and closes the connection. */
function refuseConnection(socket: Socket, code: ErrorCode): void {
  const current = endConnection(socket);
  // The fault is behind the request that is being answered: its answer must not be mixed with another.
  if (current && (current.headersSent || current.req.complete))
    return void current.once("finish", () => socket.destroySoon());
  if (!socket.writable) return void socket.destroy();
  const { status, error } = ERRORS[code];
  const body = JSON.stringify(errorBody(code));
  const head = [
    `HTTP/1.1 ${status} ${error}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    `Request-Id: ${randomUUID()}`,
    ...(status === 503 ? ["Retry-After: 1"] : []),
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

const LOOK_MS = 500;
/** A request's head has to arrive within 5 s, and all of it within 10. */
const HEAD = 5_000 / LOOK_MS;
const REQUEST = 10_000 / LOOK_MS;
/** A client that takes nothing of its answer for 8 s is gone. */
const UNREAD = 8_000 / LOOK_MS;
/** An answer that refuses a client has a second to arrive. */
const LINGER = 1_000 / LOOK_MS;

/**
 * Tracks a connection until it is closed, or the function that is returned is called. Closes it if it is too slow, or if the
 * client leaves it open after its end: Node looks for slow ones every 30 s, which only an option of `createServer` changes,
 * and it never destroys one that it has ended.
 * @param refuse answers a client whose request did not arrive in time
 * @param lookMs how often it looks; every time above is a number of looks
 */
export function watch(
  server: Server,
  socket: Socket,
  isHttp: boolean,
  refuse = refuseLate,
  lookMs = LOOK_MS,
): () => void {
  const connection = track(server, socket, isHttp);
  // Looks are counted, and not the time: a machine that slept must not find every client late.
  let [awaited, unread, ended] = [-1, -1, -1];
  let [answered, taken] = [connection.answered, 0];

  function look(): void {
    const takenBefore = taken;
    taken = socket.bytesWritten - socket.writableLength;
    unread = socket.writableLength === 0 || taken !== takenBefore ? 0 : unread + 1;
    if (unread >= UNREAD) return void socket.destroy();
    if (socket.writableFinished && ++ended >= LINGER) return void socket.destroy();
    if (socket.writableEnded || connection.isEnding) return;

    awaited = connection.answered === answered ? awaited + 1 : 0;
    ({ answered } = connection);
    const isInBody = connection.message && !connection.message.complete;
    if (!isInBody && connection.unanswered > 0) return;
    // Between requests Node's `keepAliveTimeout` counts.
    if (!isInBody && socket.bytesRead === connection.bytesAnswered) awaited = 0;
    if (awaited >= (isInBody ? REQUEST : HEAD)) refuse(connection);
  }

  const timer = setInterval(look, lookMs).unref();
  const end = (): void => {
    openConnections(server).delete(connection);
    clearInterval(timer);
  };
  socket.once("close", end);
  return end;
}
