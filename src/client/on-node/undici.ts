import { Agent, fetch, type Dispatcher } from "undici";
import { userAgent } from "../../wire/version.ts";
import { Body } from "../body.ts";
import type { Deadline } from "../deadline.ts";
import { globalFetch, type Answer, type Connect, type Init } from "../transport.ts";
import { lookup } from "./localhost.ts";

const KEEP_ALIVE_MS = 4_000;

/** undici without redirects: those would carry our secret header to wherever they point. */
export const connect: Connect = (certificate) => {
  const own = userAgent("client");
  // Bun has a stub in the place of undici, and a `fetch` that reaches *.localhost.
  if ("Bun" in globalThis) return { ...globalFetch(certificate), userAgent: own };
  const dispatcher = createAgent(certificate);
  return {
    userAgent: own,
    ask: (url, init, { onStop }) => ask(dispatcher, new URL(url), init, onStop),
    close: () => dispatcher.close(),
  };
};

/** undici's own `fetch`, for programs that have replaced the global one. */
export const undiciFetch = fetch as unknown as typeof globalThis.fetch;

/** @param certificate one to trust besides the known authorities', in PEM */
export function createAgent(certificate?: string): Agent {
  const trust = certificate === undefined ? {} : { ca: certificate, allowPartialTrustChain: true };
  return new Agent({ keepAliveTimeout: KEEP_ALIVE_MS, connect: { lookup, ...trust } });
}

/** By undici's own events: its `request` makes a stream of every answer, which costs as much again as all the rest. */
function ask(
  dispatcher: Agent,
  url: URL,
  { method = "GET", headers = {}, body = "" }: Init,
  onStop: Deadline["onStop"],
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const exchange = new Exchange(resolve, reject);
    exchange.forget = onStop((reason) => exchange.stop(reason));
    if (exchange.isOver) return;
    const options = { origin: url.origin, path: url.pathname + url.search, method, headers, body: body || null };
    dispatcher.dispatch(options as Dispatcher.DispatchOptions, exchange);
  });
}

/** One request and its answer. A connection keeps its last one until the next, so it lets go of all when it is over. */
class Exchange implements Dispatcher.DispatchHandler {
  forget: (() => void) | undefined;
  #resolve: ((answer: Answer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: Body | undefined;
  #stopped: Error | undefined;

  constructor(resolve: (answer: Answer) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get isOver(): boolean {
    return this.#reject === undefined;
  }

  stop(reason: Error): void {
    const controller = this.#controller;
    this.#stopped = reason;
    this.#fail(reason);
    controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The call has ended before it had a connection.
    if (this.#stopped) controller.abort(this.#stopped);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    fields: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    const body = new Body((reason) => controller.abort(reason));
    this.#body = body;
    const get = (name: string): string | null => [fields[name.toLowerCase()] ?? []].flat().join(", ") || null;
    this.#resolve?.({ status, headers: { get }, text: (limit) => body.text(limit) });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#body?.end();
    this.#letGo();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(withoutData(error));
  }

  #fail(error: Error): void {
    this.#body?.fail(error);
    this.#reject?.(error);
    this.#letGo();
  }

  #letGo(): void {
    this.forget?.();
    this.forget = this.#resolve = this.#reject = this.#controller = this.#body = undefined;
  }
}

/** What is not HTTP goes into undici's error verbatim, and from an echo server that is our own request. */
function withoutData(error: Error & { data?: unknown }): Error {
  delete error.data;
  return error;
}
