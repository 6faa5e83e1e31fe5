import { Agent, type Dispatcher } from "undici";
import type { Fetch, FetchInit, FetchResponse } from "../wire/fetch.ts";
import { createBody, type Body } from "./body.ts";
import type { Deadline } from "./deadline.ts";
import { lookup } from "./localhost.ts";

const KEEP_ALIVE_MS = 4_000;

type Init = Omit<FetchInit, "signal">;

/** What calls are sent with. */
export interface Transport {
  ask(url: string, init: Init, deadline: Pick<Deadline, "onStop" | "signal">): Promise<FetchResponse>;
  close(): Promise<void>;
}

/** Somebody's own `fetch`. */
export function fetchTransport(fetch: Fetch): Transport {
  return { ask: (url, init, { signal }) => fetch(url, { ...init, signal }), close: async () => {} };
}

/**
 * undici without redirects: those would carry our secret header to wherever they point.
 * @param certificate one to trust besides the known authorities', in PEM
 */
export function undiciTransport(certificate?: string): Transport {
  const dispatcher = createAgent(certificate);
  return {
    ask: (url, init, { onStop }) => ask(dispatcher, new URL(url), init, onStop),
    close: () => dispatcher.close(),
  };
}

/** The same as a `fetch`. */
export function createFetch(certificate?: string): Fetch {
  const dispatcher = createAgent(certificate);
  return (url, { signal, ...init }) =>
    ask(dispatcher, new URL(url), init, (stop) => {
      const onAbort = (): void => stop(signal?.reason as Error);
      if (signal?.aborted) onAbort();
      signal?.addEventListener("abort", onAbort, { once: true });
      return () => signal?.removeEventListener("abort", onAbort);
    });
}

function createAgent(certificate: string | undefined): Agent {
  const trust = certificate === undefined ? {} : { ca: certificate, allowPartialTrustChain: true };
  return new Agent({ keepAliveTimeout: KEEP_ALIVE_MS, connect: { lookup, ...trust } });
}

/** By undici's own events: its `request` makes a stream of every answer, which costs as much again as all the rest. */
function ask(
  dispatcher: Agent,
  url: URL,
  { method = "GET", headers = {}, body = "" }: Init,
  onStop: Deadline["onStop"],
): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let answer: Body | undefined;
    let stopped: Error | undefined;
    let forget = (): void => {};
    const fail = (error: Error): void => {
      forget();
      if (answer) answer.fail(error);
      else reject(error);
    };
    forget = onStop((reason) => {
      stopped = reason;
      fail(reason);
      controller?.abort(reason);
    });
    if (stopped) return;

    const options = { origin: url.origin, path: url.pathname + url.search, method, headers, body: body || null };
    dispatcher.dispatch(options as Dispatcher.DispatchOptions, {
      onRequestStart(started) {
        controller = started;
        // Nobody waits any more for what only now has a connection.
        if (stopped) started.abort(stopped);
      },
      onResponseStart(source, status, fields) {
        if (status < 200) return;
        const coming = createBody(source);
        answer = coming;
        const get = (name: string): string | null => [fields[name.toLowerCase()] ?? []].flat().join(", ") || null;
        resolve({ status, headers: { get }, body: coming, text: () => textOf(coming) });
      },
      onResponseData: (_, chunk) => answer?.push(chunk),
      onResponseEnd() {
        forget();
        answer?.end();
      },
      onResponseError: (_, error) => fail(withoutData(error)),
    });
  });
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** What is no HTTP goes into undici's error word for word, and from an echo server that is our own request. */
function withoutData(error: Error & { data?: unknown }): Error {
  delete error.data;
  return error;
}
