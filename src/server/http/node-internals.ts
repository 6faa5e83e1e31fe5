/**
 * Undocumented behavior of Node and h3 that the server relies on, each with the reason. `test/server/node-internals.test.ts`
 * checks it on every version of Node.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { H3Event, H3EventContext } from "h3";

/**
 * Sets options of `createServer` afterwards: listhen creates the server itself, and returns it when it already listens.
 * @param options.checkEveryMs how often Node looks for connections that take too long; its default is 30 s
 * @param options.maxHeaderSize bytes of a request's first line and headers together; Node's default is 16 KiB
 */
export function setServerOptions(server: Server, options: { checkEveryMs: number; maxHeaderSize: number }): void {
  const { checkEveryMs, maxHeaderSize } = options;
  // We answer a request without Host ourselves, in the format of all errors.
  Object.assign(server, { requireHostHeader: false, connectionsCheckingInterval: checkEveryMs, maxHeaderSize });
  // The interval is read when the server begins to listen.
  server.emit("listening");
}

/**
 * Keeps Node from closing the connection after an answer with `Connection: close`: while a client is still sending, that
 * would reset the connection and lose the answer. Call it after the head is written.
 */
export function keepOpenAfter(response: ServerResponse): void {
  Object.assign(response, { _last: false });
}

/**
 * Ends the body of a request that has none (RFC 9112, 6.3) at once. Node would run the whole life cycle of a stream, which
 * costs up to a tenth of a sign-in. Node 24 and later have the option `optimizeEmptyRequests` for that.
 */
export function endEmptyBody(message: IncomingMessage): void {
  const { headers } = message;
  if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) return;
  const { _readableState } = message as IncomingMessage & { readonly _readableState: object };
  Object.assign(_readableState, { ended: true, endEmitted: true });
  Object.assign(message, { _dumped: true });
}

/**
 * Ends an answer with text of ASCII, in one write with the head, which must have been written. `end(text)` gives the socket
 * a second, empty chunk, and writing two costs up to a tenth of an answer.
 */
export function endWith(response: ServerResponse, text: string): void {
  const { _header, _hasBody } = response as ServerResponse & { readonly _header: string; readonly _hasBody: boolean };
  // Not for HEAD.
  if (_hasBody) Object.assign(response, { _header: _header + text });
  response.end();
}

/**
 * h3 chooses a route by a request's `method` and an event's `url.pathname`, and reads nothing else of them. A whole
 * `Request` would cost more than all the rest of answering.
 */
export function eventOf(method: string, path: string, context: H3EventContext): H3Event {
  return { req: { method }, url: { pathname: path }, context } as unknown as H3Event;
}
