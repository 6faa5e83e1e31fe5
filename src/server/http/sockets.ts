import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests that a connection may send ahead of their answers: a client that reads no answers would fill the memory. */
const MAX_UNANSWERED = 64;

/** The answers that a connection waits for. */
interface Answering {
  /** Number of requests whose answer is not finished. */
  unanswered: number;
  /** The answer to the latest request. */
  last: ServerResponse | undefined;
  /** Whether an answer has announced that the connection will be closed. */
  isEnding: boolean;
}

/** The connections that have sent a request. */
const answering = new WeakMap<Socket, Answering>();
/** The open connections of each server. */
const open = new WeakMap<Server, Set<Socket>>();

/** Tracks the server's connections. */
export function watchConnections(server: Server): void {
  const sockets = new Set<Socket>();
  open.set(server, sockets);
  const watch = (socket: Socket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  server.on("connection", watch);
  // With TLS, HTTP is spoken on another socket.
  server.on("secureConnection", watch);
}

/** Lets the process end while the server listens and has connections. */
export function unrefServer(server: Server): void {
  server.unref();
  for (const socket of open.get(server) ?? []) socket.unref();
  server.on("connection", (socket) => socket.unref());
}

/** @returns false if the connection is closed or will be, or is closed now because it sent too many requests ahead */
export function takeRequest(socket: Socket, response: ServerResponse): boolean {
  if (socket.destroyed) return false;
  let connection = answering.get(socket);
  if (!connection) answering.set(socket, (connection = { unanswered: 0, last: undefined, isEnding: false }));
  if (connection.isEnding) return false;
  connection.unanswered++;
  connection.last = response;
  response.on("finish", endOfAnswer);
  if (connection.unanswered <= MAX_UNANSWERED) return true;
  socket.destroy();
  return false;
}

/**
 * Takes no more requests of the connection of an answer with `Connection: close` (RFC 9112, 9.6): what follows a message that
 * is malformed, or was not read to its end, may be a request to us only.
 */
export function takeNoMore({ req }: ServerResponse): void {
  answering.get(req.socket)!.isEnding = true;
}

function endOfAnswer(this: ServerResponse): void {
  const connection = answering.get(this.req.socket)!;
  connection.unanswered--;
  if (connection.last === this) connection.last = undefined;
}

/** The unfinished answer to the latest request of a connection. */
export function lastAnswer(socket: Socket): ServerResponse | undefined {
  return answering.get(socket)?.last;
}

/** Closes connections that never sent a request: browsers open some in advance, and wait for no answer there. */
export function closeSilent(server: Server): void {
  for (const socket of open.get(server) ?? []) {
    const hasBegun = socket.bytesRead > 0 && !("encrypted" in socket);
    if (!answering.has(socket) && !hasBegun) socket.destroy();
  }
}
