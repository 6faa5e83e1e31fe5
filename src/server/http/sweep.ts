import { clearInterval, setInterval } from "node:timers";
import type { Server } from "node:http";
import { openConnections, type Connection } from "./sockets.ts";

const SWEEP_MS = 500;
/** A request's head has to arrive within 5 s, and all of it within 10. */
const HEAD = 5_000 / SWEEP_MS;
const REQUEST = 10_000 / SWEEP_MS;
/** A client that takes nothing of its answer for 8 s is gone. */
const UNREAD = 8_000 / SWEEP_MS;
/** An answer that refuses a client has a second to arrive. */
const LINGER = 1_000 / SWEEP_MS;

/** Since which sweep something has been so. Sweeps are counted: a machine that slept must not find every client late. */
interface Ages {
  /** A request is awaited. */
  since: number;
  answered: number;
  /** Nothing was taken of what was sent, beyond `taken` bytes. */
  unread: number;
  taken: number;
  /** All was sent, and the connection ended. */
  ended: number | undefined;
}

/**
 * Closes connections that are too slow, or that the client leaves open after their end. Node looks for slow ones every 30 s,
 * which only an option of `createServer` changes, and it never destroys one that it has ended.
 * @param refuse answers a client whose request did not arrive in time
 */
export function sweep(server: Server, refuse: (connection: Connection) => void): void {
  const open = openConnections(server);
  const ages = new WeakMap<Connection, Ages>();
  let now = 0;
  let timer: NodeJS.Timeout | undefined;

  server.on("connection", () => {
    timer ??= setInterval(() => {
      now++;
      for (const connection of open) look(connection);
      if (open.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    }, SWEEP_MS).unref();
  });

  function look(connection: Connection): void {
    const { socket, message, answered, unanswered } = connection;
    let age = ages.get(connection);
    if (!age) ages.set(connection, (age = { since: now, answered, unread: now, taken: 0, ended: undefined }));
    const taken = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0 || taken !== age.taken) Object.assign(age, { taken, unread: now });
    if (now - age.unread >= UNREAD) return void socket.destroy();
    if (socket.writableFinished && now - (age.ended ??= now) >= LINGER) return void socket.destroy();
    if (socket.writableEnded || connection.isEnding) return;

    if (answered !== age.answered) Object.assign(age, { answered, since: now });
    const isInBody = message && !message.complete;
    if (!isInBody && unanswered > 0) return;
    // Between requests Node's `keepAliveTimeout` counts.
    if (!isInBody && socket.bytesRead === connection.bytesAnswered) age.since = now;
    if (now - age.since >= (isInBody ? REQUEST : HEAD)) refuse(connection);
  }
}
