/** The typed client of the service, on Node.js, Deno and Bun. */
import { createClientWith, type Client, type ClientOptions } from "./client.ts";
import { connect } from "./on-node/undici.ts";

// All but `createClient`, which is another one here.
export * from "./portable.ts";

/**
 * A client of one instance: `createClient({ secretKey, baseUrl })`. Nothing is sent before its first call.
 * @throws {ConfigError} for keys and addresses that can't be right, and for a secret key in a browser
 */
export function createClient(options: ClientOptions = {}): Client {
  return createClientWith(connect, options);
}
