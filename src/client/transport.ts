import dns from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, request } from "undici";
import type { Fetch } from "../wire/fetch.ts";

const KEEP_ALIVE_MS = 4_000;

/**
 * undici without redirects: those would carry our secret header to wherever they point.
 * @param certificate one to trust besides the known authorities', in PEM
 */
export function createFetch(certificate?: string): Fetch {
  const trust = certificate === undefined ? {} : { ca: certificate, allowPartialTrustChain: true };
  const dispatcher = new Agent({ keepAliveTimeout: KEEP_ALIVE_MS, connect: { lookup, ...trust } });
  return async (url, { method = "GET", headers = {}, body, signal }) => {
    const response = await request(url, {
      method: method as "GET",
      headers,
      body: body ?? null,
      dispatcher,
      ...(signal && { signal }),
    });
    const header = (name: string): string | null =>
      [response.headers[name.toLowerCase()] ?? []].flat().join(", ") || null;
    return { status: response.statusCode, headers: { get: header }, body: null, text: () => response.body.text() };
  };
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
