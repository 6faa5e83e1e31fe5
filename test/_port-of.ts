import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { onTestFinished } from "vitest";

/** Has a server listen on a port of its own, until the test ends. @returns the port */
export async function portOf(server: Server & { closeAllConnections?(): void }, host = "127.0.0.1"): Promise<number> {
  onTestFinished(() => {
    server.close();
    server.closeAllConnections?.();
  });
  await once(server.listen(0, host), "listening");
  return (server.address() as AddressInfo).port;
}
