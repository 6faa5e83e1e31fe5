import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers";
import { setImmediate, setTimeout as delay } from "node:timers/promises";

/** Requests that a connection may send ahead of their answers: a client that reads no answers would fill the memory. */
const MAX_UNANSWERED = 64;

/** A connection, from when it is accepted until it is closed. */
export class OpenConnection {
  readonly socket: Socket;
  /** False during a handshake of TLS: HTTP is then spoken on another socket. */
  readonly isHttp: boolean;
  /** The latest request, and the answer to it until that is finished. */
  message: IncomingMessage | undefined;
  last: ServerResponse | undefined;
  unanswered = 0;
  answered = 0;
  /** The socket's `bytesRead` at the end of the latest answer. */
  bytesAnswered: number | undefined;
  /** Whether no further request is taken: what follows may be one to us only. The connection is closed (RFC 9112, 9.6). */
  isEnding = false;

  constructor(socket: Socket, isHttp: boolean) {
    this.socket = socket;
    this.isHttp = isHttp;
  }
}

const bySocket = new WeakMap<Socket, OpenConnection>();
const byServer = new WeakMap<Server, Set<OpenConnection>>();

export function openConnections(server: Server): Set<OpenConnection> {
  let open = byServer.get(server);
  if (!open) byServer.set(server, (open = new Set()));
  return open;
}

export function track(server: Server, socket: Socket, isHttp: boolean): OpenConnection {
  const connection = new OpenConnection(socket, isHttp);
  bySocket.set(socket, connection);
  openConnections(server).add(connection);
  return connection;
}

export function unrefServer(server: Server): void {
  server.unref();
  for (const { socket } of openConnections(server)) socket.unref();
  server.on("connection", (socket) => socket.unref());
}

/** @returns false if the connection is closed or will be, or is closed now because it sent too many requests ahead */
export function takeRequest(socket: Socket, response: ServerResponse): boolean {
  const connection = bySocket.get(socket);
  if (!connection || socket.destroyed || connection.isEnding) return false;
  connection.message = response.req;
  connection.unanswered++;
  connection.last = response;
  response.on("finish", () => {
    connection.unanswered--;
    connection.answered++;
    connection.bytesAnswered = socket.bytesRead;
    if (connection.last === response) connection.last = undefined;
  });
  if (connection.unanswered <= MAX_UNANSWERED) return true;
  socket.destroy();
  return false;
}

/** Takes no more requests of a connection. @returns the unfinished answer to its latest one */
export function endConnection(socket: Socket): ServerResponse | undefined {
  const connection = bySocket.get(socket);
  if (connection) connection.isEnding = true;
  return connection?.last;
}

/** Requests that were just sent take about this long through the kernel. */
const LINGER_MS = 25;
/** Node accepts one connection in a turn of its event loop: in this many, the whole backlog of 511. */
const MOST_TURNS = 600;
const QUIET_TURNS = 5;
/** A connection that is kept alive becomes idle when its request is answered. */
const SWEEP_MS = 50;

export interface CloseTimes {
  /** How long connections are still accepted, so that balancers and clients learn of the shutdown first. */
  readonly drainMs: number;
  /** How long requests may then take to finish. */
  readonly graceMs: number;
}

/** Stops accepting after `drainMs`, answers what was sent by then, and closes every connection. */
export async function closeServers(servers: readonly Server[], { drainMs, graceMs }: CloseTimes): Promise<void> {
  await delay(drainMs + LINGER_MS);
  await takeUp(servers);
  const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
  for (let turn = 0; turn < QUIET_TURNS; turn++) await setImmediate();
  // Connections that never sent a request: browsers open some in advance, and wait for no answer there.
  for (const { socket, message } of servers.flatMap((server) => [...openConnections(server)])) {
    const hasBegun = socket.bytesRead > 0 && !("encrypted" in socket);
    if (!message && !hasBegun) socket.destroy();
  }
  const sweep = setInterval(() => servers.forEach((server) => server.closeIdleConnections()), SWEEP_MS);
  const timer = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), graceMs);
  await Promise.all(closed);
  clearTimeout(timer);
  clearInterval(sweep);
}

/** Accepts the connections that wait in the kernel and reads their requests. Otherwise they would be reset. */
async function takeUp(servers: readonly Server[]): Promise<void> {
  let accepted = 0;
  const count = (): void => void accepted++;
  for (const server of servers) server.on("connection", count);
  for (let turn = 0, quiet = 0; turn < MOST_TURNS && quiet < QUIET_TURNS; turn++) {
    const before = accepted;
    await setImmediate();
    quiet = accepted === before ? quiet + 1 : 0;
  }
  for (const server of servers) server.off("connection", count);
}
