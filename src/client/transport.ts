import { Agent, request } from "undici";
import type { Fetch } from "../wire/fetch.ts";
import { lookup } from "./localhost.ts";

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
