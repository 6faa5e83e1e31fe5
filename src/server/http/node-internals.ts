/**
 * What is used of Node and h3 beyond their documentation, each with the reason; `test/server/node-internals.test.ts` shows on
 * every Node that it still does what is said here.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { H3Event, H3EventContext } from "h3";

/**
 * Sets what `createServer` takes as options: listhen makes the server itself and hands it over when it listens already.
 * @param options.checkEveryMs how often Node looks for connections that take too long; its default is 30 s
 * @param options.maxHeaderSize bytes of a request's first line and headers together; Node's default is 16 KiB
 */
export function setServerOptions(server: Server, options: { checkEveryMs: number; maxHeaderSize: number }): void {
  const { checkEveryMs, maxHeaderSize } = options;
  // A request without Host is answered by us, in the form of all errors.
  Object.assign(server, { requireHostHeader: false, connectionsCheckingInterval: checkEveryMs, maxHeaderSize });
  // The interval is read when the server begins to listen.
  server.emit("listening");
}

/**
 * Keeps Node from closing the connection at the end of an answer that says `Connection: close`: a client that still sends
 * must be heard out, or the connection is reset and the answer lost. To be called when the head is written.
 */
export function keepOpenAfter(response: ServerResponse): void {
  Object.assign(response, { _last: false });
}

/**
 * Ends the body of a request that has none (RFC 9112, 6.3) at once. Node would take it through the whole life of a stream,
 * which costs as much as a tenth of a sign-in. From Node 24 on it has the option `optimizeEmptyRequests` for that.
 */
export function endEmptyBody(message: IncomingMessage): void {
  const { headers } = message;
  if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) return;
  const { _readableState } = message as IncomingMessage & { readonly _readableState: object };
  Object.assign(_readableState, { ended: true, endEmitted: true });
  Object.assign(message, { _dumped: true });
}

/**
 * h3 chooses a route by a request's `method` and an event's `url.pathname`, and reads nothing else of them. A whole
 * `Request` would cost more than all the rest of answering.
 */
export function eventOf(method: string, path: string, context: H3EventContext): H3Event {
  return { req: { method }, url: { pathname: path }, context } as unknown as H3Event;
}
