import type { IncomingMessage } from "node:http";
import { BlockList, isIP, SocketAddress } from "node:net";
import { ServeError } from "../errors.ts";

export type ClientAddress = (message: IncomingMessage) => string;

export function peerOf({ socket }: Pick<IncomingMessage, "socket">): string {
  return unmapped(socket.remoteAddress ?? "");
}

/** IPv4 addresses arrive as IPv4-mapped IPv6 addresses on a dual-stack socket. */
function unmapped(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, "");
}

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
      const hop = plainAddress(hops.pop()?.trim() ?? "");
      if (hop === undefined) break;
      address = hop;
    }
    return address;
  };
}

/** An address with a port, which some proxies add. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/** The address in an entry of `X-Forwarded-For`, in one spelling (RFC 5952). Undefined if it is a name, such as `unknown`. */
export function plainAddress(entry: string): string | undefined {
  const [, inBrackets, beforePort] = WITH_PORT.exec(entry) ?? [];
  const [address = ""] = (inBrackets ?? beforePort ?? entry).split("%");
  if (isIP(address) === 0) return undefined;
  const { address: written } = new SocketAddress({ address, family: isIP(address) === 6 ? "ipv6" : "ipv4" });
  return unmapped(written);
}
