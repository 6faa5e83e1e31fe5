import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { H3 } from "h3";
import { toNodeHandler } from "h3/node";
import { ERRORS, errorBody, type ErrorCode } from "../../wire/errors.ts";
import { faultOf } from "./message.ts";
import { takeNoMore, takeRequest } from "./sockets.ts";

const DRAIN_MS = 1_000;

/**
 * Connects Node's HTTP server to the application. Messages that are malformed, whatever they mean, are refused here.
 * @param app is created when the server listens, because its addresses contain the port
 * @param onBug called with an error that interrupted an answer
 */
export function createListener(app: Promise<H3>, onBug: (error: unknown) => void): RequestListener {
  const handling = app.then(toNodeHandler);
  return (message, response) => {
    if (!takeRequest(message.socket, response)) return;
    const fault = faultOf(message);
    if (fault) {
      takeNoMore(response);
      // Whether the message has come to its end is known when the bytes that began it were read.
      setImmediate(refuse, response, fault);
      return;
    }
    response.once("close", () => {
      if (response.errored) onBug(response.errored);
    });
    void handling.then((handle) => handle(message, response));
  };
}

/**
 * Decides, when an answer is known and nothing of it was sent, what becomes of the connection. Bytes that were not read would
 * be parsed as the next request, so nothing more is taken from it then; but closing it at once would reset it, and lose the
 * answer: the client gets the time to send what it announced.
 * @param isLast whether the server takes no more requests
 */
export function settleConnection(response: ServerResponse, isLast: boolean): void {
  const { req } = response;
  if (req.complete) {
    if (isLast) response.setHeader("connection", "close");
    return;
  }
  takeNoMore(response);
  // Node closes the connection itself behind an answer that says so.
  response.shouldKeepAlive = true;
  response.removeHeader("connection");
  response.once("finish", () => void drain(req));
}

function refuse(response: ServerResponse, code: ErrorCode): void {
  const body = JSON.stringify(errorBody(code));
  settleConnection(response, true);
  response.writeHead(ERRORS[code].status, {
    "content-type": "application/json",
    "content-length": body.length,
    "request-id": randomUUID(),
  });
  response.end(body);
}

async function drain(message: IncomingMessage): Promise<void> {
  message.on("error", () => undefined).resume();
  await Promise.race([once(message, "end"), once(message.socket, "close"), delay(DRAIN_MS, undefined, { ref: false })]);
  message.socket.destroy();
}
