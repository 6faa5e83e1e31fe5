import dns from "node:dns";
import type { LookupFunction } from "node:net";
import type * as Whole from "undici";
import { isLocalhost } from "../http/address.ts";

/** What is used of undici. */
export type Undici = Pick<typeof Whole, "Agent" | "Pool" | "ProxyAgent">;
/** Makes a connection, and says which or why not. */
type Connector = Whole.buildConnector.connector;
export type Agent = InstanceType<Undici["Agent" | "ProxyAgent"]>;

/** The caller's own limits count: undici's are five minutes, whatever the caller allows. */
const NO_LIMITS = { headersTimeout: 0, bodyTimeout: 0 };

export interface Connecting {
  /** A certificate to trust besides the known authorities', in PEM. */
  readonly certificate?: string | undefined;
  /** Closes every connection, and gives up those that are being made. */
  readonly signal?: AbortSignal | undefined;
  readonly proxy?: string | undefined;
  /** How long a connection may take to be made. */
  readonly connectMs?: number | undefined;
}

/** All of undici: with the first request, which most programs that import this package make later. */
export function loadUndici(): Promise<typeof Whole> {
  return import("undici");
}

/** The one place that decides how a connection is made: by which proxy, to which addresses, with whose certificates. */
export function createAgent(
  { Agent, Pool, ProxyAgent }: Undici,
  { certificate, signal, proxy, connectMs }: Connecting = {},
): Agent {
  const socket = { ...(signal && { signal }), ...(connectMs !== undefined && { timeout: connectMs }) };
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
