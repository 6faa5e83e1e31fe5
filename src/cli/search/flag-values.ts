import { isIP, SocketAddress } from "node:net";
import { domainToASCII } from "node:url";
import { isUuid } from "../../wire/ids.ts";
import { normalizeEmail } from "../../wire/text/fold.ts";
import { UsageError } from "../errors.ts";
import { quoted } from "../output/text.ts";

/** An address as it is pasted: ` Ada <ada@acme.test> ` or `mailto:ada@acme.test?subject=x`. Anything else is only trimmed. */
export function pastedAddress(text: string): string {
  const [, inside = text] = /^[^<>]*<([^<>]+@[^<>]+)>\s*$/.exec(text) ?? [];
  const [, address = inside] = /^\s*mailto:([^?]+)/i.exec(inside) ?? [];
  return address.trim();
}

export function checkedUserId(id: string): string {
  if (/^\*?[0-9a-f-]*\*$|^\*[0-9a-f-]*$/i.test(id) || isUuid(id.toLowerCase())) return id;
  const hint = id.includes("@") ? `To search by address: --email ${quoted(id)}` : "Find the id with: svc users search";
  throw new UsageError(`--user: "${id}" is not a user id.`, hint);
}

export function checkedEmail(text: string): string {
  const value = pastedAddress(text);
  if (value.includes("*") || normalizeEmail(value) !== undefined) return value;
  throw new UsageError(
    `--email: "${value}" is not an e-mail address.`,
    `To find a part of one: --email ${quoted(`*${value}*`)}`,
  );
}

export function checkedDomain(text: string): string {
  // Addresses have a domain in ASCII (RFC 5891).
  const value = domainToASCII(text.replace(/^@/, "")) || text;
  const isDomain = normalizeEmail(`a@${value}`) !== undefined;
  if (isDomain && (value.includes(".") || value === "localhost")) return value;
  const [, below] = /^\*?\.(.+)$/.exec(value) ?? [];
  throw new UsageError(
    `--email-domain: "${value}" is not a whole domain, such as acme.test.`,
    below === undefined
      ? `To find a part of an address: --email ${quoted(`*${value.replaceAll("*", "")}*`)}`
      : `For the domains below it: --email ${quoted(`*.${below}`)}`,
  );
}

/** An address as a service writes it, or what the addresses of a network begin with. */
export function checkedIp(text: string): string {
  // An IPv4 address as IPv6 sockets have it (RFC 4291, 2.5.5.2).
  const value = text.replace(/^::ffff:(?=\d+\.)/i, "");
  const [, first, second, third, length] = /^(\d+)\.(\d+)\.(\d+)\.\d+\/(8|16|24)$/.exec(value) ?? [];
  const begin = [first, second, third].slice(0, Number(length ?? 0) / 8).join(".");
  if (begin !== "" && isIP(value.split("/")[0]!)) return `${begin}.*`;
  if (isIP(value) === 6 && !value.includes("%")) return new SocketAddress({ address: value, family: "ipv6" }).address;
  if (isIP(value) === 4 || /^\*?[0-9a-f.:]*\*$|^\*[0-9a-f.:]*$/i.test(value)) return value;
  throw new UsageError(
    `--ip: "${value}" is neither an IP address nor a network that ends at a dot.`,
    "Write 203.0.113.7, 203.0.113.0/24, or the start of an address: '203.0.*', '2001:db8:*'",
  );
}

/** A value has no space: of several words the longest is asked for, which the fewest names have. */
export function longestWord(text: string): string {
  return wordsOf(text).reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
