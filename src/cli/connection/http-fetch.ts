import { request as plainRequest, Agent as PlainAgent, type IncomingMessage, type RequestOptions } from "node:http";
import type { Fetch, FetchResponse } from "../../wire/fetch.ts";
import { lookup } from "../../client/localhost.ts";

/** As much as the client takes. */
const MAX_BYTES = 256 << 20;

/**
 * Node's own HTTP, which is loaded in a fraction of the time that undici takes: a command makes few requests, and most
 * make one. No redirect is followed.
 * @param certificate one to trust besides the known authorities', in PEM
 */
export function createHttpFetch(certificate?: string): Fetch {
  const shared = { keepAlive: true, lookup };
  const plain = new PlainAgent(shared);
  let secure: Promise<typeof plainRequest> | undefined;
  const openSecure = async (): Promise<typeof plainRequest> => {
    const { Agent, request } = await import("node:https");
    const trust = certificate === undefined ? {} : { ca: certificate, allowPartialTrustChain: true };
    const agent = new Agent({ ...shared, ...trust });
    return ((url: URL, options: RequestOptions) => request(url, { ...options, agent })) as typeof plainRequest;
  };
  return async (address, { method = "GET", headers = {}, body, signal }) => {
    const url = new URL(address);
    const send = url.protocol === "https:" ? await (secure ??= openSecure()) : plainRequest;
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method, headers: { ...headers, ...lengthOf(body) }, ...(signal && { signal }) };
      const outgoing = send(url, url.protocol === "https:" ? options : { ...options, agent: plain });
      outgoing.once("response", resolve).once("error", reject);
      outgoing.end(body);
    });
    return responseOf(message);
  };
}

function responseOf(message: IncomingMessage): FetchResponse {
  return {
    status: message.statusCode ?? 0,
    headers: { get: (name) => [message.headers[name.toLowerCase()] ?? []].flat().join(", ") || null },
    body: message,
    async text() {
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of message as AsyncIterable<Uint8Array>) {
        chunks.push(chunk);
        length += chunk.length;
        // Leaving the loop ends the connection.
        if (length > MAX_BYTES) throw new Error("the answer is longer than 256 MiB");
      }
      return Buffer.concat(chunks).toString("utf8");
    },
  };
}

function lengthOf(body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
}
