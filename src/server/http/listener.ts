import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { FastURL } from "srvx";
import { ERRORS, errorBody, type ErrorCode } from "../../wire/errors.ts";
import { MAX_BODY_BYTES } from "../../wire/names.ts";
import type { App } from "./app.ts";
import type { ClientAddress } from "./client-address.ts";
import { ApiError } from "../errors.ts";

const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 5_000;
/** A request that nobody reads or writes for so long is given up; longer than a provider may take. */
const IDLE_TIMEOUT_MS = 30_000;
const CHECK_EVERY_MS = 1_000;
const MAX_HEADERS = 100;
const DRAIN_MS = 1_000;
/** Requests that a connection may send ahead of their answers; a client that reads no answers would fill the memory. */
const MAX_UNANSWERED = 64;

/**
 * Between Node's HTTP server and the application: what can be wrong with a message before its meaning is looked at
 * is refused here. The parts of `Request` that the application uses are made by hand, because a whole one costs more
 * than all the rest of answering.
 */
export function createListener(
  app: App,
  clientAddress: ClientAddress,
  onBug: (error: unknown) => void,
): RequestListener {
  return (message, response) => {
    if (!countRequest(message.socket, response)) return;
    void answer(message, response).catch((error: unknown) => {
      // A client that went away is no fault of ours.
      if (!response.destroyed && !message.destroyed) onBug(error);
      response.destroy();
    });
  };

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    answering.set(message.socket, response);
    response.once("finish", () => answering.delete(message.socket));
    const fault = faultOf(message);
    if (fault) return refuse(response, fault);
    const request = new MessageRequest(message, clientAddress(message));
    await send(response, await app.fetch(request as unknown as Request));
    // An unread rest would be taken for the next request.
    if (!message.complete) await drain(message);
  }
}

/** How many requests of each connection wait for the end of their answer. */
const unanswered = new WeakMap<Socket, number>();

/** @returns false where the connection was closed for having sent too many ahead */
function countRequest(socket: Socket, response: ServerResponse): boolean {
  if (socket.destroyed) return false;
  const count = (unanswered.get(socket) ?? 0) + 1;
  unanswered.set(socket, count);
  response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
  if (count <= MAX_UNANSWERED) return true;
  socket.destroy();
  return false;
}

/** What each connection is being answered. */
const answering = new WeakMap<Socket, ServerResponse>();

/** Bounds on what a slow or endless client may take, and an answer of our form where Node finds no request. */
export function configureServer(server: Server): void {
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.timeout = IDLE_TIMEOUT_MS;
  // One more than is let in, so that too many can be told.
  server.maxHeadersCount = MAX_HEADERS + 1;
  // Ours says so in our own form.
  Object.assign(server, { requireHostHeader: false });
  // Node reads the interval when it begins to listen, and the server is handed to us listening already.
  Object.assign(server, { connectionsCheckingInterval: CHECK_EVERY_MS });
  server.emit("listening");
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const current = answering.get(socket);
    // What can't be read comes after the request that is being answered: that answer is not to be mixed with another.
    if (current && (current.headersSent || current.req.complete))
      return void current.once("finish", () => socket.destroySoon());
    if (!socket.writable) return void socket.destroy();
    const code =
      error.code === "HPE_HEADER_OVERFLOW"
        ? "headers_too_large"
        : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
          ? "request_timeout"
          : "bad_request";
    const body = JSON.stringify(errorBody(code));
    socket.end(
      `HTTP/1.1 ${ERRORS[code].status} ${ERRORS[code].error}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
}

/** What is wrong with a message as such. */
function faultOf({ rawHeaders, headers, url = "" }: IncomingMessage): ErrorCode | undefined {
  // Node leaves those beyond the limit out without a word.
  if (rawHeaders.length > 2 * MAX_HEADERS) return "headers_too_large";
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === "host") hosts++;
  }
  if (hosts !== 1) return "bad_request";
  if (!url.startsWith("/") && originFormOf(url, headers.host) === undefined) return "bad_request";
  if (headers["transfer-encoding"] !== undefined && headers["transfer-encoding"].toLowerCase() !== "chunked")
    return "bad_request";
  if (headers["transfer-encoding"] !== undefined && headers["content-length"] !== undefined) return "bad_request";
  if (Number(headers["content-length"] ?? 0) > MAX_BODY_BYTES) return "body_too_large";
  return undefined;
}

/** The path of a target in absolute form (RFC 9112, 3.2.2), which must name the same host as `Host`. */
function originFormOf(target: string, host: string | undefined): string | undefined {
  const [, authority, path] = /^https?:\/\/([^/?]*)(.*)$/i.exec(target) ?? [];
  if (authority === undefined || authority.toLowerCase() !== host?.toLowerCase()) return undefined;
  return path!.startsWith("/") ? path : `/${path}`;
}

function refuse(response: ServerResponse, code: ErrorCode): void {
  const body = JSON.stringify(errorBody(code));
  response.writeHead(ERRORS[code].status, {
    "content-type": "application/json",
    "content-length": body.length,
    connection: "close",
  });
  if (response.req.complete) return void response.end(body);
  linger(response);
  response.end(body, () => void drain(response.req));
}

/** Node would close the connection at the answer's end. */
function linger(response: ServerResponse): void {
  Object.assign(response, { _last: false });
}

/**
 * Lets a sender that goes on sending read the answer first: a connection closed with unread bytes in it is reset, and
 * takes the answer with it.
 */
async function drain(message: IncomingMessage): Promise<void> {
  message.on("error", () => undefined).resume();
  await Promise.race([once(message, "end"), once(message.socket, "close"), delay(DRAIN_MS, undefined, { ref: false })]);
  message.socket.destroy();
}

async function send(target: ServerResponse, response: Response): Promise<void> {
  const { status, headers, body } = (response as OwnResponse)._toNodeResponse();
  // Whatever is left unread would be taken for the next request.
  if (!target.req.complete) headers.push("connection", "close");
  target.writeHead(status, headers);
  if (!target.req.complete) linger(target);
  if (body instanceof ReadableStream) {
    await pipeline(body as unknown as AsyncIterable<Uint8Array>, target);
    return;
  }
  target.end(body);
  if (!target.req.complete) await once(target, "finish");
}

/** All of our responses are srvx's, which give their parts as they are. */
type OwnResponse = Response & {
  _toNodeResponse(): { status: number; headers: string[]; body: string | ReadableStream | null };
};

/** The parts of `Request` that are used. */
class MessageRequest {
  readonly method: string;
  /** As it was sent. */
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  readonly ip: string;
  /** h3 takes a parsed address from here. */
  readonly _url: URL;
  readonly #message: IncomingMessage;

  constructor(message: IncomingMessage, ip: string) {
    const { headers, url = "/" } = message;
    const target = url.startsWith("/") ? url : (originFormOf(url, headers.host) ?? "/");
    const mark = target.indexOf("?");
    this.method = message.method ?? "GET";
    this.url = `http://${headers.host ?? ""}${target}`;
    this.headers = { get: (name) => headerOf(headers[name]) };
    this.ip = ip;
    this._url = new FastURL({
      protocol: "http:",
      host: headers.host ?? "",
      pathname: mark < 0 ? target : target.slice(0, mark),
      search: mark < 0 ? "" : target.slice(mark),
    } as unknown as string);
    this.#message = message;
  }

  /** @throws {ApiError} `body_too_large` */
  text(): Promise<string> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let length = 0;
      this.#message
        .on("data", (chunk: Buffer) => {
          length += chunk.length;
          if (length > MAX_BODY_BYTES) {
            this.#message.removeAllListeners("data").pause();
            reject(new ApiError("body_too_large"));
          } else chunks.push(chunk);
        })
        .once("end", () => resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()))
        .once("error", () => reject(new ApiError("bad_request")));
    });
  }
}

function headerOf(value: string | string[] | undefined): string | null {
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}
