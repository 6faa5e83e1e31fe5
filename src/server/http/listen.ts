import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { listen as listhen } from "listhen";
import { isLoopback } from "../../wire/loopback.ts";
import { PortUnavailable } from "../errors.ts";
import { closeServers, type CloseTimes } from "./close.ts";
import { configureServer } from "./listener.ts";

const TRIES = 10;
const CERTIFICATE_DAYS = 30;

/** What listhen makes a certificate from, and what it then has. */
type Tls = { domains: string[]; validityDays: number } | { key: string; cert: string };

export interface ListenOptions {
  /** 0: any that is free. */
  readonly port: number;
  /** Undefined: loopback alone, by IPv4 and IPv6. */
  readonly host: string | undefined;
  /** The names of the self-signed certificate; undefined: without TLS. */
  readonly certificateFor: readonly string[] | undefined;
}

export interface Listening {
  readonly port: number;
  /** The addresses bound, e.g. `127.0.0.1:7820`. */
  readonly bound: readonly string[];
  /** In PEM, and self-signed. */
  readonly certificate: string | undefined;
  /** Ends every connection when its requests are answered. */
  close(times: CloseTimes): Promise<void>;
}

/** Listens at the port that was asked for, or throws: never at another one. @throws {PortUnavailable} */
export async function listen(
  handler: RequestListener,
  { port, host, certificateFor }: ListenOptions,
): Promise<Listening> {
  const hosts = host === undefined ? ["127.0.0.1", "::1"] : [host];
  for (let attempt = 1; ; attempt++) {
    const wanted = port === 0 ? await freePort(hosts[0]!) : port;
    const states = await Promise.all(hosts.map((name) => probe(name, wanted)));
    const usable = hosts.filter((_, i) => states[i] === "free");
    // A machine without IPv6 is served by IPv4 alone; a port that somebody else has on either is not ours.
    const isTaken = states.includes("taken") || usable.length === 0;
    if (!isTaken) {
      const servers: Server[] = [];
      let tls: Tls | undefined = certificateFor && { domains: [...certificateFor], validityDays: CERTIFICATE_DAYS };
      for (const name of usable) {
        const { server, keyPair } = await bind(handler, wanted, name, tls);
        servers.push(server);
        tls = keyPair;
      }
      return {
        port: wanted,
        bound: usable.map((name) => `${name.includes(":") ? `[${name}]` : name}:${wanted}`),
        certificate: tls && "cert" in tls ? tls.cert : undefined,
        close: (times) => closeServers(servers, times),
      };
    }
    if (port !== 0 || attempt === TRIES) throw unavailable(wanted, hosts, states);
  }
}

/** listhen widens its address and moves its port by itself unless it is told everything; what it did is checked. */
async function bind(
  handler: RequestListener,
  port: number,
  hostname: string,
  tls: Tls | undefined,
): Promise<{ server: Server; keyPair: Tls | undefined }> {
  const { server, address, https } = (await listhen(handler, {
    port,
    hostname,
    https: tls ?? false,
    public: !isLoopback(hostname),
    isTest: true,
    isProd: false,
    showURL: false,
    open: false,
    clipboard: false,
    tunnel: false,
    qr: false,
    autoClose: false,
    ws: false,
  })) as unknown as { server: Server; address: AddressInfo; https: { key: string; cert: string } | false };
  // A name that listhen takes for none (a zone as in fe80::1%eth0, an underscore, 64 letters) it listens everywhere for.
  if (isAnywhere(address.address) && !isAnywhere(hostname)) {
    server.close();
    throw new PortUnavailable(`--host: "${hostname}" can't be listened at by that name. Give an address.`);
  }
  if (address.port !== port) {
    server.close();
    throw new PortUnavailable(`Port ${port} was taken in this moment. Try again, or choose another with --port.`);
  }
  configureServer(server);
  return { server, keyPair: https || undefined };
}

function isAnywhere(host: string): boolean {
  return host === "::" || host === "0.0.0.0";
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

function unavailable(port: number, hosts: readonly string[], states: readonly PortState[]): PortUnavailable {
  if (states.includes("taken")) {
    return new PortUnavailable(
      `Port ${port} is in use by another process. Stop that one, or choose another port: --port 0 takes any that is free.`,
    );
  }
  if (states.includes("forbidden"))
    return new PortUnavailable(
      `Port ${port} needs more rights than this process has. Choose one above 1023 with --port.`,
    );
  return new PortUnavailable(`This machine has no address ${hosts.join(" or ")} to listen at. Choose one with --host.`);
}
