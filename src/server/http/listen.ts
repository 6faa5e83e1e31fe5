import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { lookup } from "node:dns/promises";
import type { RequestListener, Server } from "node:http";
import { createServer, isIP, type AddressInfo } from "node:net";
import type { HTTPSOptions, ListenOptions as ListhenOptions, Listener } from "listhen";
import { isLoopback } from "../../http/address.ts";
import { PortUnavailable } from "../errors.ts";
import { plainAddress } from "./client-address.ts";
import { createConnectionLimit, type ConnectionLimitOptions } from "./connection-limit.ts";
import { configureServer } from "./connections.ts";
import { closeServers, unrefServer, type CloseTimes } from "./sockets.ts";

const TRIES = 10;

export interface ListenPlace {
  readonly port: number;
  /** Each is an address of this machine, its own first. */
  readonly hosts: readonly string[];
}

export interface ListenOptions extends ConnectionLimitOptions {
  /** The names of the self-signed certificate; undefined without TLS. */
  readonly certificateFor: readonly string[] | undefined;
}

/**
 * Finds a port that is free at each address of a host, before anything depends on it.
 * @param port 0 for any
 * @param host undefined for `localhost`: loopback only, by IPv4 and IPv6
 * @param isLocalhost whether `localhost` is the server's address, so that it must listen there as well
 * @throws {PortUnavailable}
 */
export async function findPlace(port: number, host = "localhost", isLocalhost: boolean): Promise<ListenPlace> {
  const hosts = host === "localhost" ? LOCALHOST : await hostsFor(host, isLocalhost);
  const needed = host === "localhost" ? hosts : hosts.slice(0, 1);
  for (let attempt = 1; ; attempt++) {
    const wanted = port === 0 ? await probe(hosts[0]!, 0) : port;
    if (typeof wanted !== "number") throw unavailable(port, host, [wanted]);
    const states = await Promise.all(hosts.map((name) => probe(name, wanted)));
    const usable = hosts.filter((_, i) => states[i] === wanted);
    // Without IPv6, IPv4 alone is enough; but a port that another program uses on either is taken.
    if (needed.some((name) => usable.includes(name)) && !states.includes("taken"))
      return { port: wanted, hosts: usable };
    if (port !== 0 || attempt === TRIES) throw unavailable(wanted, host, states);
  }
}

/** Listens at exactly this place. @throws {PortUnavailable} */
export async function listen(handler: RequestListener, { port, hosts }: ListenPlace, options: ListenOptions) {
  const { servers, certificate } = await bindAll(handler, port, hosts, options);
  return {
    /** The addresses bound, e.g. `127.0.0.1:7820`. */
    bound: hosts.map((name) => `${name.includes(":") ? `[${name}]` : name}:${port}`),
    /** In PEM, and self-signed. */
    certificate,
    unref: () => servers.forEach(unrefServer),
    /** Closes every connection when its requests are answered. */
    close: (times: CloseTimes) => closeServers(servers, times),
  };
}

const LOCALHOST: readonly string[] = ["127.0.0.1", "::1"];

/**
 * The addresses to listen at for a host, its own first. Browsers and programs that look for `localhost` try both of its
 * addresses: at one that is left, another user of the machine would be taken for this server, and get its keys.
 */
async function hostsFor(host: string, isLocalhost: boolean): Promise<readonly string[]> {
  const address = isIP(host) ? host : (await lookup(host).catch(() => ({ address: host }))).address;
  const plain = plainAddress(address) ?? address;
  // These two are all addresses of the machine: by IPv4, and by both.
  if (plain === "0.0.0.0") return [plain, "::1"];
  if (plain === "::") return [plain];
  if (LOCALHOST.includes(plain)) return [plain, ...LOCALHOST.filter((other) => other !== plain)];
  return isLocalhost ? [address, ...LOCALHOST] : [address];
}

async function bindAll(
  handler: RequestListener,
  port: number,
  hosts: readonly string[],
  { certificateFor, isProxy, warn }: ListenOptions,
) {
  const servers: Server[] = [];
  const limit = createConnectionLimit({ isProxy, warn });
  const onOtherScheme = warnOnce(certificateFor ? "http" : "https", warn);
  let https: HTTPSOptions | false = certificateFor
    ? { domains: [...certificateFor], validityDays: CERTIFICATE_DAYS }
    : false;
  try {
    for (const host of hosts) {
      const listener = await bind(handler, port, host, https);
      servers.push(listener.server as Server);
      configureServer(listener.server as Server, limit, onOtherScheme);
      https = listener.https;
    }
  } catch (error) {
    servers.forEach((server) => server.close());
    throw error;
  }
  return { servers, certificate: https ? https.cert : undefined };
}

/** Once: a program may try again and again. */
function warnOnce(scheme: "http" | "https", warn: (message: string) => void): () => void {
  const [own, remedy] = scheme === "https" ? ["http", "start it with --https"] : ["https", "start it without --https"];
  let isWarned = false;
  return () => {
    if (isWarned) return;
    isWarned = true;
    warn(`A client asked for ${scheme}://, and this server speaks ${own}. Give the client ${own}://, or ${remedy}.`);
  };
}

const CERTIFICATE_DAYS = 30;
const LISTENS = "tracing:net.server.listen:asyncStart";

/** Listens at this port and address and no other: left to itself, listhen prints, and takes others when it can't have them. */
async function bind(
  handler: RequestListener,
  port: number,
  hostname: string,
  https: HTTPSOptions | false,
): Promise<Listener> {
  // listhen knows no addresses with a zone, and would listen everywhere.
  if (isIP(hostname) && hostname.includes("%"))
    throw new PortUnavailable(`--host: svc can't listen at "${hostname}", because it has a zone. Use another address.`);
  const { listen: listhen } = await import("listhen");
  let fail!: (error: Error) => void;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  // listhen handles no error of the server that it creates. Without a listener, it would end the process.
  const handleErrors = (event: unknown): void => {
    const { server } = event as { server: Server };
    if (server.listeners("request").includes(handler)) server.once("error", fail);
  };
  subscribe(LISTENS, handleErrors);
  try {
    const options = { ...SILENT, port, hostname, https, public: !isLoopback(hostname) };
    const listener = await Promise.race([listhen(handler, options), failed]);
    listener.server.off("error", fail);
    if (listener.address.port === port && isAnywhere(listener.address.address) === isAnywhere(hostname))
      return listener;
    listener.server.close();
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE" && name !== "GetPortError") throw error;
  } finally {
    unsubscribe(LISTENS, handleErrors);
  }
  // What listhen does not take although it is free is a port that browsers refuse.
  throw (await probe(hostname, port)) === port
    ? new PortUnavailable(`Browsers and fetch refuse port ${port} (ERR_UNSAFE_PORT). Choose another with --port.`)
    : new PortUnavailable(`Another program just took port ${port}. Try again, or choose another with --port.`);
}

const SILENT = {
  isTest: true,
  // Otherwise another port is taken where one is not free.
  isProd: true,
  showURL: false,
  open: false,
  clipboard: false,
  tunnel: false,
  qr: false,
  autoClose: false,
  ws: false,
} satisfies Partial<ListhenOptions>;

function isAnywhere(host: string): boolean {
  return host === "::" || host === "0.0.0.0";
}

type PortFault = "taken" | "forbidden" | "absent";

/** Binds an address for a moment. @returns the port, or why it can't be bound */
function probe(host: string, port: number): Promise<number | PortFault> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", ({ code }: NodeJS.ErrnoException) => {
      resolve(code === "EADDRINUSE" ? "taken" : code === "EACCES" ? "forbidden" : "absent");
    });
    server.listen({ host, port, exclusive: true }, () => {
      const bound = server.address() as AddressInfo;
      server.close(() => resolve(bound.port));
    });
  });
}

function unavailable(port: number, host: string, states: readonly (number | PortFault)[]): PortUnavailable {
  if (states.includes("taken"))
    return new PortUnavailable(
      `Port ${port} is in use by another process. Stop that one, or choose another port: --port 0 takes any that is free.`,
    );
  if (states.includes("forbidden"))
    return new PortUnavailable(
      `Port ${port} needs more rights than this process has. Choose one above 1023 with --port.`,
    );
  const name = host === "localhost" ? LOCALHOST.join(" or ") : host;
  return new PortUnavailable(`This machine has no address ${name} to listen at. Choose one with --host.`);
}
