import { setMaxListeners } from "node:events";
import type * as Whole from "undici";
import { readText } from "../../wire/http/body.ts";
import type { FetchInit, FetchResponse } from "../../wire/http/fetch.ts";
import { userAgent } from "../../wire/version.ts";
import { globalFetch, type Connect, type Transport } from "../transport.ts";
import dns from "node:dns";
import type { LookupFunction } from "node:net";
import { isLocalhost } from "../../wire/http/address.ts";

/** What is used of undici. */
export type Undici = Pick<typeof Whole, "Agent" | "Pool" | "ProxyAgent">;
/** Makes a connection, and says which or why not. */
type Connector = Whole.buildConnector.connector;
type Agent = InstanceType<Undici["Agent" | "ProxyAgent"]>;

/** The caller's own limits count: undici's are five minutes, whatever the caller allows. */
const NO_LIMITS = { headersTimeout: 0, bodyTimeout: 0 };
/** As much as a list of the client may have. */
const MAX_BYTES = 2 ** 28;

interface Options {
  /** A certificate to trust besides the known authorities', in PEM. */
  readonly certificate?: string | undefined;
  /** Closes every connection, and gives up those that are being made. */
  readonly signal?: AbortSignal | undefined;
  /** The proxy for an address. Default: none, whatever the environment says. */
  readonly proxyOf?: (url: string) => string | undefined;
}

/** All of undici: with the first request, which most programs that import this package make later. */
export function loadUndici(): Promise<typeof Whole> {
  return import("undici");
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

/** The one place that decides how a connection is made: by which proxy, to which addresses, with whose certificates. */
export function createAgent(
  { Agent, Pool, ProxyAgent }: Undici,
  { certificate, signal, proxy }: Omit<Options, "proxyOf"> & { readonly proxy?: string | undefined } = {},
): Agent {
  const socket = { ...(signal && { signal }) };
  if (proxy !== undefined) {
    const factory = (origin: URL, options: object): InstanceType<Undici["Pool"]> => {
      const connector = (options as { connect: Connector }).connect;
      return new Pool(origin, { ...options, connect: connectOnce(connector) });
    };
    // The types ask for a port too, which is in the address.
    return new ProxyAgent({ ...NO_LIMITS, uri: proxy, proxyTls: socket as never, factory });
  }
  const trust = certificate === undefined ? {} : { ca: certificate, allowPartialTrustChain: true };
  return new Agent({ ...NO_LIMITS, connect: { ...socket, ...trust, lookup } });
}

/** A proxy that hangs up would be asked again and again: undici takes its own error for one that will pass (its issue 3897). */
function connectOnce(connector: Connector): Connector {
  return (options, callback) =>
    connector(options, (error, socket) => {
      if (!error) return callback(null, socket!);
      const isHungUp = (error as NodeJS.ErrnoException).code === "UND_ERR_SOCKET";
      callback(isHungUp ? Object.assign(new Error(error.message), { code: "ECONNRESET" }) : error, null);
    });
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

/** Many systems can't resolve `acme.localhost`. */
const lookup: LookupFunction = (hostname, options, callback) => {
  if (!isLocalhost(hostname)) return dns.lookup(hostname, options, callback);
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  if (options.all) callback(null, addresses);
  else callback(null, "127.0.0.1", 4);
};
