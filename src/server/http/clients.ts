import { readFileSync } from "node:fs";
import { BlockList, isIP, SocketAddress, type Socket } from "node:net";
import { ServeError } from "../errors.ts";
import { networkOf } from "../sign-in/start-limit.ts";
import { peerOf, unmapped, type ClientAddress } from "./listener.ts";

/** Whether an address is a proxy's, which speaks for many clients. */
export type IsProxy = (address: string) => boolean;

/**
 * Tells the trusted proxies.
 * @param trusted addresses and networks such as `10.0.0.0/8`
 * @throws {ServeError} naming an entry that is neither
 */
export function createIsProxy(trusted: readonly string[] = []): IsProxy {
  if (trusted.length === 0) return () => false;
  const proxies = new BlockList();
  for (const entry of trusted) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    const isLength = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === "ipv6" ? 128 : 32));
    if (!isIP(address) || !isLength)
      throw new ServeError(`--trust-proxy: "${entry}" is neither an address nor a network such as 10.0.0.0/8`);
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/**
 * The socket's peer; if that is a trusted proxy, the last address in `X-Forwarded-For` that is not a trusted proxy. A
 * client that a proxy calls `unknown` has that proxy's address: what stands before it comes from the client.
 * @param warn told once of a peer that sends the header and is not trusted
 */
export function createClientAddress(isProxy: IsProxy, warn?: (message: string) => void): ClientAddress {
  let hasWarned = warn === undefined;
  return (message) => {
    let address = peerOf(message);
    if (!isProxy(address)) {
      if (hasWarned || message.headers["x-forwarded-for"] === undefined) return address;
      hasWarned = true;
      warn!(
        `${address} sends X-Forwarded-For. If it is a proxy of yours, add --trust-proxy ${address}: until then all of its users are one client to svc.`,
      );
      return address;
    }
    const hops = String(message.headers["x-forwarded-for"] ?? "")
      .split(",")
      .filter((hop) => hop.trim() !== "");
    while (isProxy(address)) {
      const hop = addressIn(hops.pop()?.trim() ?? "");
      if (hop === undefined) break;
      address = hop;
    }
    return address;
  };
}

/** An address with a port, which some proxies add. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/** The address in an entry of `X-Forwarded-For`, in one spelling (RFC 5952). Undefined if it is a name, such as `unknown`. */
export function addressIn(entry: string): string | undefined {
  const [, inBrackets, beforePort] = WITH_PORT.exec(entry) ?? [];
  const [address = ""] = (inBrackets ?? beforePort ?? entry).split("%");
  if (isIP(address) === 0) return undefined;
  const { address: written } = new SocketAddress({ address, family: isIP(address) === 6 ? "ipv6" : "ipv4" });
  return unmapped(written);
}

/** A connection takes some 50 kB. */
const MOST = 10_000;
const MOST_OF_ONE = 1_000;
/** The rest is for the store, the providers and what is refused. */
const SHARE_OF_DESCRIPTORS = 3 / 4;
/** Refused connections that wait for their answer to arrive; those beyond are closed without one. */
const SHARE_OF_REFUSED = 1 / 16;
const WARN_EVERY_MS = 60_000;

export type ConnectionLimit = ReturnType<typeof createConnectionLimit>;

export interface ConnectionLimitOptions {
  readonly isProxy: IsProxy;
  warn(message: string): void;
}

/** Bounds the open connections, in all and of each client. */
export function createConnectionLimit({ isProxy, warn }: ConnectionLimitOptions, descriptors = descriptorLimit()) {
  const most = Math.min(MOST, Math.floor(descriptors * SHARE_OF_DESCRIPTORS));
  const mostOfOne = Math.min(MOST_OF_ONE, Math.floor(most / 2));
  const mostRefused = Math.ceil(most * SHARE_OF_REFUSED);
  const byClient = new Map<string, number>();
  let [open, refused, warnedAt] = [0, 0, -Infinity];

  function warnOf(message: string): void {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    warn(message);
  }

  return {
    /** Counts a connection until it is closed. @returns what becomes of it */
    admit(socket: Socket): "open" | "refused" | "dropped" {
      const address = peerOf({ socket });
      const client = networkOf(address);
      const count = byClient.get(client) ?? 0;
      if (open < most && (count < mostOfOne || isProxy(address))) {
        open++;
        byClient.set(client, count + 1);
        socket.once("close", () => {
          open--;
          const left = byClient.get(client)! - 1;
          if (left > 0) byClient.set(client, left);
          else byClient.delete(client);
        });
        return "open";
      }
      warnOf(
        open < most
          ? `${client} has ${count} connections open, as many as one client may have; more are answered 503. If it is a proxy, name it with --trust-proxy.`
          : `${open} connections are open, as many as this process may have; more are answered 503. It may have more with more file descriptors (ulimit -n), ${MOST} at most.`,
      );
      if (refused === mostRefused) return "dropped";
      refused++;
      socket.once("close", () => refused--);
      return "refused";
    },
  };
}

/** How many files and sockets the process may have open. Infinity where the system does not tell, as it does on Linux. */
function descriptorLimit(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
