import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests that a connection may send ahead of their answers: a client that reads no answers would fill the memory. */
const MAX_UNANSWERED = 64;

/** A connection, from when it is accepted until it is closed. */
export interface Connection {
  readonly socket: Socket;
  /** False during a handshake of TLS: HTTP is then spoken on another socket. */
  readonly isHttp: boolean;
  /** The latest request. */
  message: IncomingMessage | undefined;
  /** Number of requests whose answer is not finished. */
  unanswered: number;
  /** Number of answers that are finished. */
  answered: number;
  /** The socket's `bytesRead` at the end of the latest answer. */
  bytesAnswered: number | undefined;
  /** The answer to the latest request. */
  last: ServerResponse | undefined;
  /** Whether no further request is taken, because the connection will be closed. */
  isEnding: boolean;
}

const connections = new WeakMap<Socket, Connection>();
const open = new WeakMap<Server, Set<Connection>>();

export function openConnections(server: Server): ReadonlySet<Connection> {
  return connectionsOf(server);
}

/** Tracks a connection of a server until it is closed, or the function that is returned is called. */
export function track(server: Server, socket: Socket, isHttp: boolean): () => void {
  const all = connectionsOf(server);
  const connection: Connection = {
    socket,
    isHttp,
    message: undefined,
    unanswered: 0,
    answered: 0,
    bytesAnswered: undefined,
    last: undefined,
    isEnding: false,
  };
  const forget = (): void => void all.delete(connection);
  connections.set(socket, connection);
  all.add(connection);
  socket.once("close", forget);
  return forget;
}

function connectionsOf(server: Server): Set<Connection> {
  let all = open.get(server);
  if (!all) open.set(server, (all = new Set()));
  return all;
}

/** Lets the process end while the server listens and has connections. */
export function unrefServer(server: Server): void {
  server.unref();
  for (const { socket } of openConnections(server)) socket.unref();
  server.on("connection", (socket) => socket.unref());
}

/** @returns false if the connection is closed or will be, or is closed now because it sent too many requests ahead */
export function takeRequest(socket: Socket, response: ServerResponse): boolean {
  const connection = connections.get(socket);
  if (!connection || socket.destroyed || connection.isEnding) return false;
  connection.message = response.req;
  connection.unanswered++;
  connection.last = response;
  response.on("finish", () => endOfAnswer(connection, response));
  if (connection.unanswered <= MAX_UNANSWERED) return true;
  socket.destroy();
  return false;
}

/**
 * Takes no more requests of a connection that will be closed (RFC 9112, 9.6): what follows a message that is malformed, or was
 * not read to its end, may be a request to us only.
 */
export function takeNoMore({ req }: Pick<ServerResponse, "req">): void {
  endConnection(req.socket);
}

/** Takes no more requests of a connection. */
export function endConnection(socket: Socket): void {
  const connection = connections.get(socket);
  if (connection) connection.isEnding = true;
}

function endOfAnswer(connection: Connection, response: ServerResponse): void {
  connection.unanswered--;
  connection.answered++;
  connection.bytesAnswered = connection.socket.bytesRead;
  if (connection.last === response) connection.last = undefined;
}

/** The unfinished answer to the latest request of a connection. */
export function lastAnswer(socket: Socket): ServerResponse | undefined {
  return connections.get(socket)?.last;
}

/** Closes connections that never sent a request: browsers open some in advance, and wait for no answer there. */
export function closeSilent(server: Server): void {
  for (const { socket, message } of openConnections(server)) {
    const hasBegun = socket.bytesRead > 0 && !("encrypted" in socket);
    if (!message && !hasBegun) socket.destroy();
  }
}
