import { BlockList, isIP, SocketAddress } from "node:net";

const FAMILIES = { 4: { name: "ipv4", bits: 32 }, 6: { name: "ipv6", bits: 128 } } as const;

/** The network of an address, or of CIDR notation (RFC 4632, 3.1; RFC 4291, 2.3). Undefined if a text is neither. */
export function ipNetwork(text: string) {
  const [address = "", length, ...rest] = text.replace(/^\[(.+)\]$/, "$1").split("/");
  const family = familyOf(address);
  if (!family || rest.length > 0) return undefined;
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > family.bits)) return undefined;
  const bits = Number(length ?? family.bits);
  const list = new BlockList();
  list.addSubnet(address, bits, family.name);
  return {
    /** What the text of every address in it begins with; of a single address all of it, as a service writes it. */
    prefix: prefixOf(address, bits),
    isOne: bits === family.bits,
    has: (other: string): boolean => familyOf(other) === family && list.check(other, family.name),
  };
}

function familyOf(address: string): (typeof FAMILIES)[4 | 6] | undefined {
  const version = isIP(address);
  return (version === 4 || version === 6) && !address.includes("%") ? FAMILIES[version] : undefined;
}

function prefixOf(address: string, bits: number): string {
  const family = familyOf(address)!;
  const written = new SocketAddress({ address, family: family.name }).address;
  if (bits === family.bits) return written;
  const [sign, width] = family.bits === 32 ? ([".", 8] as const) : ([":", 16] as const);
  const parts = written
    .split("::")[0]!
    .split(sign)
    .slice(0, Math.floor(bits / width));
  // A group of zeros may be left out of an address, together with those after it.
  const end = sign === ":" ? parts.findIndex((part) => part === "0" || part === "") : -1;
  return (end < 0 ? parts : parts.slice(0, end)).map((part) => part + sign).join("");
}
