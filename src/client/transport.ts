import type { Fetch } from "../http/fetch.ts";
import { ConfigError, ServiceError } from "./errors.ts";

/** Sends the requests of calls: by a caller's own `fetch`, the runtime's, or undici in the form of one. */
export interface Transport {
  readonly fetch: Fetch;
  /** What it sends as `User-Agent` unless the client's options say otherwise. Undefined: what `fetch` sends by itself. */
  readonly userAgent?: string | undefined;
  /** Waits for pending requests. */
  close?(): Promise<void>;
}

/** Makes the transport of a client without a `fetch` of its own. @param certificate one to trust, in PEM */
export type Connect = (certificate: string | undefined) => Transport;

/** The same, which sends nothing after `close`. */
export function closable(transport: Transport): Transport & Pick<Required<Transport>, "close"> {
  // A browser's own can't be called as a method of anything else.
  const { fetch } = transport;
  let closing: Promise<void> | undefined;
  return {
    ...transport,
    async fetch(url, init) {
      if (!closing) return fetch(url, init);
      throw new ServiceError("closed", "The client is closed. Make calls before close(), or create another client");
    },
    close: () => (closing ??= transport.close?.() ?? Promise.resolve()),
  };
}

/** The runtime's own `fetch`, looked up at each request. */
export const globalFetch: Connect = (certificate) => {
  if (certificate !== undefined)
    throw new ConfigError("certificate needs Node.js or Deno. Elsewhere, pass a fetch of your own that trusts it");
  return {
    async fetch(url, init) {
      if (typeof globalThis.fetch === "function") return globalThis.fetch(url, init);
      throw new ConfigError("There is no fetch here. Pass one in the options of createClient");
    },
  };
};
