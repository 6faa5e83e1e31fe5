import dns from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, request } from "undici";
import type { Fetch } from "../wire/fetch.ts";

const KEEP_ALIVE_MS = 4_000;

/** A `fetch` with connections of its own. */
export type Transport = Fetch & { close(): Promise<void> };

/**
 * undici without redirects: those would carry our secret header to wherever they point.
 * @param certificate one to trust besides the known authorities', in PEM
 */
export function createFetch(certificate?: string): Transport {
  const trust = certificate === undefined ? {} : { ca: certificate, allowPartialTrustChain: true };
  const dispatcher = new Agent({ keepAliveTimeout: KEEP_ALIVE_MS, connect: { lookup, ...trust } });
  const fetch: Fetch = async (url, { method = "GET", headers = {}, body, signal }) => {
    const response = await request(url, {
      method: method as "GET",
      headers,
      body: body ?? null,
      dispatcher,
      ...(signal && { signal }),
    }).catch(withoutData);
    const header = (name: string): string | null =>
      [response.headers[name.toLowerCase()] ?? []].flat().join(", ") || null;
    return {
      status: response.statusCode,
      headers: { get: header },
      body: response.body,
      text: () => response.body.text(),
    };
  };
  return Object.assign(fetch, { close: () => dispatcher.close() });
}

/** What is no HTTP goes into undici's error word for word, and from an echo server that is our own request. */
function withoutData(error: unknown): never {
  if (error instanceof Error && "data" in error) delete error.data;
  throw error;
}

/** Many systems can't resolve `acme.localhost`; it is always this machine (RFC 6761, 6.3). */
const lookup: LookupFunction = (hostname, options, callback) => {
  if (hostname !== "localhost" && !hostname.endsWith(".localhost")) return dns.lookup(hostname, options, callback);
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  if (options.all) callback(null, addresses);
  else callback(null, "127.0.0.1", 4);
};
