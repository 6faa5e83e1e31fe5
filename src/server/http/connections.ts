import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests that a connection may send ahead of their answers; a client that reads no answers would fill the memory. */
const MAX_UNANSWERED = 64;

/** What a connection is being answered. */
interface Answering {
  /** How many requests wait for the end of their answer. */
  unanswered: number;
  /** To the request that came last. */
  last: ServerResponse | undefined;
}

/** The connections that have sent a request. */
const answering = new WeakMap<Socket, Answering>();
/** Of each server, all that are open. */
const open = new WeakMap<Server, Set<Socket>>();

/** Follows the server's connections from their beginning. */
export function watchConnections(server: Server): void {
  const sockets = new Set<Socket>();
  open.set(server, sockets);
  const watch = (socket: Socket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  server.on("connection", watch);
  // With TLS it is another socket that speaks HTTP.
  server.on("secureConnection", watch);
}

/** @returns false where the connection is closed, at the latest now, for having sent too many requests ahead */
export function takeRequest(socket: Socket, response: ServerResponse): boolean {
  if (socket.destroyed) return false;
  let connection = answering.get(socket);
  if (!connection) answering.set(socket, (connection = { unanswered: 0, last: undefined }));
  connection.unanswered++;
  connection.last = response;
  response.on("finish", endOfAnswer);
  if (connection.unanswered <= MAX_UNANSWERED) return true;
  socket.destroy();
  return false;
}

function endOfAnswer(this: ServerResponse): void {
  const connection = answering.get(this.req.socket)!;
  connection.unanswered--;
  if (connection.last === this) connection.last = undefined;
}

/** The unfinished answer to the request that the connection sent last. */
export function lastAnswer(socket: Socket): ServerResponse | undefined {
  return answering.get(socket)?.last;
}

/** Closes those that never sent a request, as a browser opens them in advance: no client waits for an answer there. */
export function closeSilent(server: Server): void {
  for (const socket of open.get(server) ?? []) {
    const hasBegun = socket.bytesRead > 0 && !("encrypted" in socket);
    if (!answering.has(socket) && !hasBegun) socket.destroy();
  }
}
