import {
  request as plainRequest,
  Agent as PlainAgent,
  type AgentOptions,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { readText } from "../../wire/body.ts";
import type { Fetch, FetchResponse } from "../../wire/fetch.ts";
import { lookup } from "../../client/on-node/localhost.ts";
import { isLocalhost } from "../../wire/loopback.ts";

/** As much as the client takes. */
const MAX_BYTES = 256 << 20;

type SecureRequest = (url: URL, options: RequestOptions) => ClientRequest;

/**
 * Node's own HTTP, which is loaded in a fraction of the time that undici takes: a command makes few requests, and most
 * make one. No redirect is followed.
 * @param certificate one to trust besides the known authorities', in PEM
 */
export function createHttpFetch(certificate?: string): Fetch {
  const shared = { keepAlive: true, lookup };
  // Without the name that TLS would need: Node compiles a large expression to see that it is not an address.
  const plain = new PlainAgent({ ...shared, servername: "" } as AgentOptions);
  let secure: Promise<SecureRequest> | undefined;
  const openSecure = async (): Promise<SecureRequest> => {
    const { Agent, request } = await import("node:https");
    const trust = certificate === undefined ? {} : { ca: certificate, allowPartialTrustChain: true };
    const agent = new Agent({ ...shared, ...trust });
    return (url, options) => request(url, { ...options, agent });
  };
  return async (address, { method = "GET", headers = {}, body, signal }) => {
    const url = new URL(address);
    const options = { method, headers: { ...headers, ...lengthOf(body) }, ...(signal && { signal }) };
    if (url.protocol === "https:") {
      const request = await (secure ??= openSecure());
      return responseOf(await answerTo(request(url, options), body));
    }
    const ask = (at: { hostname?: string } = {}): Promise<IncomingMessage> => {
      const named = { ...options.headers, host: url.host };
      return answerTo(plainRequest(url, { ...options, ...at, headers: named, agent: plain }), body);
    };
    return responseOf(await (isLocalhost(url.hostname) ? askThisMachine(ask, signal) : ask()));
  };
}

function answerTo(outgoing: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once("response", resolve).once("error", reject);
    outgoing.end(body);
  });
}

/** By its addresses, one after the other: for a name Node would compile the same expression. */
async function askThisMachine(
  ask: (at: { hostname: string }) => Promise<IncomingMessage>,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  try {
    return await ask({ hostname: "127.0.0.1" });
  } catch (refused) {
    if ((refused as NodeJS.ErrnoException).code !== "ECONNREFUSED") throw refused;
    return ask({ hostname: "::1" }).catch((error: unknown) => {
      throw signal?.aborted ? error : refused;
    });
  }
}

function responseOf(message: IncomingMessage): FetchResponse {
  return {
    status: message.statusCode ?? 0,
    headers: { get: (name) => [message.headers[name.toLowerCase()] ?? []].flat().join(", ") || null },
    body: message,
    text: () => readText(message, MAX_BYTES),
  };
}

function lengthOf(body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
}
