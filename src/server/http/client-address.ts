import { BlockList, isIP } from "node:net";
import { peerOf, type ClientAddress } from "./message.ts";
import { ServeError } from "../errors.ts";
import { ownText } from "../memory-use.ts";

/**
 * Whether an address is a trusted proxy's.
 * @param trusted addresses and networks such as `10.0.0.0/8`
 * @throws {ServeError} naming an entry that is neither
 */
export function createIsProxy(trusted: readonly string[]): (address: string) => boolean {
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
 * @throws {ServeError} as `createIsProxy`
 */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  const isProxy = createIsProxy(trusted);
  return (message) => {
    const hops = String(message.headers["x-forwarded-for"] ?? "")
      .split(",")
      .filter((hop) => hop.trim() !== "");
    let address = peerOf(message);
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
  if (isIP(address) !== 6) return isIP(address) === 4 ? ownText(address) : undefined;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]).join(".");
}
