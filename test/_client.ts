import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createClient, type Client, type ClientOptions, type Fetch } from "../src/client/index.ts";
import { decodePart, encodePart } from "./_setup.ts";
import { portOf } from "./_port-of.ts";

export const KEY = "sk_test_0123456789abcdefghijklmnopqrstuvwxyz";

/** A server on its own port, and the requests to it. */
export async function startServer(
  answer: RequestListener,
): Promise<{ origin: string; port: number; seen: IncomingMessage[]; close: () => void }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  const port = await portOf(server);
  return { origin: `http://127.0.0.1:${port}`, port, seen, close: () => void server.close() };
}

export function clientWith(fetch: Fetch, options: Partial<ClientOptions> = {}): Client {
  return createClient({ secretKey: KEY, baseUrl: "https://acme.svc.test", fetch, ...options });
}

/** The token with another name and its old signature. */
export function forged(token: string): string {
  const [header, , signature] = token.split(".");
  return `${header}.${encodePart({ ...decodePart(token, 1), name: "Mallory" })}.${signature}`;
}

export async function caught(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
