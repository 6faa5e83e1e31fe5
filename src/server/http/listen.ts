import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { lookup } from "node:dns/promises";
import { isIP, type AddressInfo } from "node:net";
import { PortTakenSince, PortUnavailable } from "../errors.ts";
import { closeServers, type CloseTimes } from "./close.ts";
import { unrefServer } from "./sockets.ts";
import type { Tls } from "./listen-tls.ts";
import { configureServer } from "./listener.ts";

const TRIES = 10;

export interface ListenOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Undefined for `localhost`: loopback only, by IPv4 and IPv6. */
  readonly host: string | undefined;
  /** Whether `localhost` is the server's address, so that it must listen there as well. */
  readonly isLocalhost: boolean;
  /** The names of the self-signed certificate; undefined without TLS. */
  readonly certificateFor: readonly string[] | undefined;
}

export interface Listening {
  readonly port: number;
  /** The addresses bound, e.g. `127.0.0.1:7820`. */
  readonly bound: readonly string[];
  /** In PEM, and self-signed. */
  readonly certificate: string | undefined;
  /** Lets the process end while this listens. */
  unref(): void;
  /** Closes every connection when its requests are answered. */
  close(times: CloseTimes): Promise<void>;
}

/** Listens at exactly the given port. @throws {PortUnavailable} */
export async function listen(
  handler: RequestListener,
  { port, host = "localhost", isLocalhost, certificateFor }: ListenOptions,
): Promise<Listening> {
  const hosts = host === "localhost" ? LOCALHOST : await hostsFor(host, isLocalhost);
  const needed = host === "localhost" ? hosts : hosts.slice(0, 1);
  for (let attempt = 1; ; attempt++) {
    const wanted = port === 0 ? await freePort(hosts[0]!) : port;
    const states = await Promise.all(hosts.map((name) => probe(name, wanted)));
    const usable = hosts.filter((_, i) => states[i] === "free");
    // Without IPv6, IPv4 alone is enough; but a port that another program uses on either is taken.
    if (needed.some((name) => usable.includes(name)) && !states.includes("taken")) {
      const { servers, certificate } = await bindAll(handler, wanted, usable, certificateFor);
      return {
        port: wanted,
        bound: usable.map((name) => `${name.includes(":") ? `[${name}]` : name}:${wanted}`),
        certificate,
        unref: () => servers.forEach(unrefServer),
        close: (times) => closeServers(servers, times),
      };
    }
    if (port !== 0 || attempt === TRIES)
      throw unavailable(wanted, host === "localhost" ? LOCALHOST.join(" or ") : host, states);
  }
}

const LOCALHOST: readonly string[] = ["127.0.0.1", "::1"];

/**
 * The addresses to listen at for a host, its own first. Browsers and programs that look for `localhost` try both of its
 * addresses: at one that is left, another user of the machine would be taken for this server, and get its keys.
 */
async function hostsFor(host: string, isLocalhost: boolean): Promise<readonly string[]> {
  const { addressIn } = await import("./forwarded-address.ts");
  const address = isIP(host) ? host : (await lookup(host).catch(() => ({ address: host }))).address;
  const plain = addressIn(address) ?? address;
  // These two are all addresses of the machine: by IPv4, and by both.
  if (plain === "0.0.0.0") return [plain, "::1"];
  if (plain === "::") return [plain];
  if (LOCALHOST.includes(plain)) return [plain, ...LOCALHOST.filter((other) => other !== plain)];
  return isLocalhost ? [address, ...LOCALHOST] : [address];
}

/** @returns the servers, one for each host, with one certificate */
async function bindAll(
  handler: RequestListener,
  port: number,
  hosts: readonly string[],
  certificateFor: readonly string[] | undefined,
): Promise<{ servers: Server[]; certificate: string | undefined }> {
  const servers: Server[] = [];
  let tls: Tls | undefined = certificateFor && { names: certificateFor };
  try {
    for (const host of hosts) {
      const { server, keyPair } = await bind(handler, port, host, tls);
      servers.push(server);
      configureServer(server);
      tls = keyPair;
    }
  } catch (error) {
    servers.forEach((server) => server.close());
    throw error;
  }
  return { servers, certificate: tls && "cert" in tls ? tls.cert : undefined };
}

async function bind(
  handler: RequestListener,
  port: number,
  host: string,
  tls: Tls | undefined,
): Promise<{ server: Server; keyPair: Tls | undefined }> {
  // Few servers use TLS here, and the code that creates certificates is several times as large as this file's.
  if (tls) return (await import("./listen-tls.ts")).bindTls(handler, port, host, tls);
  const server = createServer(handler).listen({ host, port, exclusive: true });
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") throw new PortTakenSince(port);
    throw error;
  }
  return { server, keyPair: undefined };
}

type PortState = "free" | "taken" | "forbidden" | "absent";

function probe(host: string, port: number): Promise<PortState> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "EADDRINUSE" ? "taken" : error.code === "EACCES" ? "forbidden" : "absent");
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve("free")));
  });
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function unavailable(port: number, host: string, states: readonly PortState[]): PortUnavailable {
  if (states.includes("taken")) {
    return new PortUnavailable(
      `Port ${port} is in use by another process. Stop that one, or choose another port: --port 0 takes any that is free.`,
    );
  }
  if (states.includes("forbidden"))
    return new PortUnavailable(
      `Port ${port} needs more rights than this process has. Choose one above 1023 with --port.`,
    );
  return new PortUnavailable(`This machine has no address ${host} to listen at. Choose one with --host.`);
}
