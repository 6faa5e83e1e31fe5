import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { ServeError } from "../errors.ts";

/** The IP address of the client that sent a request. */
export type ClientAddress = (message: IncomingMessage) => string;

/**
 * The socket's peer; if that is a trusted proxy, the last address in `X-Forwarded-For` that is not a trusted proxy.
 * @param trusted addresses and networks such as `10.0.0.0/8`
 * @throws {ServeError} naming an entry that is neither
 */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return peerOf;
  const proxies = new BlockList();
  for (const entry of trusted) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    const isNumber = bits === undefined || /^\d{1,3}$/.test(bits);
    if (!isIP(address) || !isNumber)
      throw new ServeError(`--trust-proxy: "${entry}" is neither an address nor a network such as 10.0.0.0/8`);
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  const isProxy = (address: string): boolean =>
    isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  return (message) => {
    const hops = String(message.headers["x-forwarded-for"] ?? "")
      .split(",")
      .map((hop) => hop.trim())
      .filter((hop) => hop !== "");
    let address = peerOf(message);
    while (isProxy(address)) {
      const hop = hops.pop();
      if (hop === undefined || isIP(hop) === 0) break;
      address = hop;
    }
    return address;
  };
}

/** IPv4 addresses arrive as IPv4-mapped IPv6 addresses on a dual-stack socket. */
function peerOf(message: IncomingMessage): string {
  return (message.socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
}
