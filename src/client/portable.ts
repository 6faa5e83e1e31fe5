/** The same client for runtimes without Node's modules: the edge, workers and browsers. It sends by their own `fetch`. */
import { createClientWith, type Client, type ClientOptions } from "./client.ts";
import { globalFetch } from "./transport.ts";

export * from "./exports.ts";

/** @throws {ConfigError} as the other `createClient` */
export function createClient(options: ClientOptions = {}): Client {
  return createClientWith(globalFetch, options);
}
