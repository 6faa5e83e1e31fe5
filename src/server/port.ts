import { isLoopback } from "../http/address.ts";
import { DEFAULT_PORT } from "../wire/serve.ts";
import { findPlace, type ListenPlace } from "./http/listen.ts";
import type { ServeOptions } from "./options.ts";

type Addresses = Pick<ServeOptions, "port" | "host" | "publicUrl">;

/** Where a server with these options would listen. @throws {PortUnavailable} */
export function checkPort(options: Addresses): Promise<ListenPlace> {
  return findPlace(options.port ?? DEFAULT_PORT, options.host, isLocalhost(options));
}

/** Whether users see the server at this machine. */
function isLocalhost({ publicUrl = "http://localhost" }: Addresses): boolean {
  return isLoopback(new URL(publicUrl).hostname);
}

/** Whether only this machine can reach the server. */
export function isOnlyHere(options: Addresses): boolean {
  return isLocalhost(options) && isLoopback(options.host ?? "localhost");
}
