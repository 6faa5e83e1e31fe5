import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers";
import type { Server } from "node:http";
import { setImmediate, setTimeout as delay } from "node:timers/promises";
import { closeSilent } from "./sockets.ts";

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
  await delay(drainMs);
  await delay(LINGER_MS);
  await takeUp(servers);
  const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
  await turns(QUIET_TURNS);
  for (const server of servers) closeSilent(server);
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

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate();
}
