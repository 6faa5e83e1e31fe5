import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import type { Host } from "./address.ts";

/** A connected socket. @throws an error with a code: the system's, or `CONNECT_TIMEOUT` */
export async function openSocket({ host, port }: Host, timeoutMs: number): Promise<Socket> {
  const path = `${host}/.s.PGSQL.${port}`;
  const socket = connect(host.startsWith("/") ? { path } : { host, port, noDelay: true });
  const tooLate = Object.assign(new Error(`${host}:${port} could not be reached in time`), { code: "CONNECT_TIMEOUT" });
  const timer = setTimeout(() => socket.destroy(tooLate), timeoutMs);
  try {
    await once(socket, "connect");
  } finally {
    clearTimeout(timer);
  }
  // `postgres` reads the name that TLS asks for here.
  return Object.assign(socket, { host });
}
