import { readText } from "../wire/http/body.ts";
import type { Fetch, FetchInit, FetchResponse } from "../wire/http/fetch.ts";
import type { Deadline } from "./deadline.ts";
import { ConfigError, ServiceError } from "./errors.ts";
import type { Patience } from "./retry.ts";

export type Init = Omit<FetchInit, "signal">;

/** The response, whose body is read up to a limit. */
export interface Answer {
  readonly status: number;
  readonly headers: FetchResponse["headers"];
  /** The body, once. @throws {BodyTooLong} beyond this many bytes */
  text(limit: number): Promise<string>;
}

/** Sends the requests of calls. */
export interface Transport {
  /** What it sends as `User-Agent` unless the client's options say otherwise. Undefined: what `fetch` sends by itself. */
  readonly userAgent?: string | undefined;
  /** What a call waits for, if it waits at all: `--wait` of the command line. */
  patience?(method: string, url: string): Patience;
  ask(url: string, init: Init, deadline: Pick<Deadline, "signal" | "until">): Promise<Answer>;
  close(): Promise<void>;
}

/** Makes the transport of a client without a `fetch` of its own. @param certificate one to trust, in PEM */
export type Connect = (certificate: string | undefined) => Transport;

/** The same, which sends nothing after `close`. */
export function closable(transport: Transport): Transport {
  let closing: Promise<void> | undefined;
  return {
    ...transport,
    async ask(url, init, deadline) {
      if (!closing) return transport.ask(url, init, deadline);
      throw new ServiceError("closed", "The client is closed. Make calls before close(), or create another client");
    },
    close: () => (closing ??= transport.close()),
  };
}

/** Sends by a `fetch`: a caller's own, the runtime's, or undici in the form of one. */
export function fetchTransport(fetch: Fetch): Transport {
  return {
    async ask(url, init, { signal, until }) {
      // Not every fetch honours its signal.
      const { status, headers, body } = await until(fetch(url, { ...init, signal }));
      return { status, headers, text: async (limit) => (body ? until(readText(body, limit)) : "") };
    },
    close: async () => {},
  };
}

/** The runtime's own `fetch`, looked up at each request. */
export const globalFetch: Connect = (certificate) => {
  if (certificate !== undefined)
    throw new ConfigError("certificate needs Node.js or Deno. Elsewhere, pass a fetch of your own that trusts it");
  return fetchTransport(async (url, init) => {
    if (typeof globalThis.fetch === "function") return globalThis.fetch(url, init);
    throw new ConfigError("There is no fetch here. Pass one in the options of createClient");
  });
};
