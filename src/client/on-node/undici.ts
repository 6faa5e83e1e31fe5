import { setMaxListeners } from "node:events";
import { createAgent, loadUndici, type Agent, type Connecting, type Undici } from "../../network/agent.ts";
import { readText } from "../../http/body.ts";
import type { FetchInit, FetchResponse } from "../../http/fetch.ts";
import { userAgent } from "../../wire/version.ts";
import { globalFetch, type Connect, type Transport } from "../transport.ts";

/** As much as a list of the client may have. */
const MAX_BYTES = 2 ** 28;

interface Options extends Pick<Connecting, "certificate" | "signal"> {
  /** The proxy for an address. Default: none, whatever the environment says. */
  readonly proxyOf?: (url: string) => string | undefined;
}

/** The transport of a program on Node. */
export const connect: Connect = (certificate) => {
  const own = userAgent("client");
  // Bun has a stub in the place of undici, and a `fetch` that reaches *.localhost.
  if ("Bun" in globalThis) return { ...globalFetch(certificate), userAgent: own };
  return { ...createUndiciFetch(loadUndici, { certificate }), userAgent: own };
};

/**
 * Sends by undici, and follows no redirect: our key would go wherever that points.
 * @param load called with the first request
 */
export function createUndiciFetch(
  load: () => Promise<Undici>,
  { proxyOf = () => undefined, ...direct }: Options = {},
): Transport {
  const { signal } = direct;
  let loading: Promise<Undici> | undefined;
  /** By the proxy's address. */
  const agents = new Map<string | undefined, Agent>();
  const agentFor = (undici: Undici, url: string): Agent => {
    const proxy = proxyOf(url);
    const agent = agents.get(proxy) ?? createAgent(undici, { ...direct, proxy });
    agents.set(proxy, agent);
    return agent;
  };
  if (signal) {
    setMaxListeners(0, signal);
    // Before the sockets hear of it: for a request that has ended, undici would connect once more.
    signal.addEventListener("abort", () => agents.forEach((agent) => void agent.destroy()), { once: true });
  }
  return {
    async fetch(url, init) {
      const undici = await (loading ??= load());
      signal?.throwIfAborted();
      init.signal?.throwIfAborted();
      return send(agentFor(undici, url), new URL(url), init);
    },
    async close() {
      await loading;
      await Promise.all([...agents.values()].map((agent) => agent.close()));
    },
  };
}

async function send(
  agent: Agent,
  url: URL,
  { method = "GET", headers, body, signal }: FetchInit,
): Promise<FetchResponse> {
  const { origin, pathname, search } = url;
  const answer = await agent
    .request({
      origin,
      path: pathname + search,
      method: method as "GET",
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    .catch(throwWithoutData);
  const bytes = chunksOf(answer.body);
  return {
    status: answer.statusCode,
    headers: { get: (name) => [answer.headers[name.toLowerCase()] ?? []].flat().join(", ") || null },
    body: bytes,
    text: () => readText(bytes, MAX_BYTES),
  };
}

async function* chunksOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throwWithoutData(error);
  }
}

/** What is not HTTP goes into undici's error verbatim, and from an echo server that is our own request. */
function throwWithoutData(error: unknown): never {
  delete (error as { data?: unknown }).data;
  throw error;
}
