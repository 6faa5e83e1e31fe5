/**
 * Writes a MaxMind DB file (format 2.0) of IPv4 networks: a binary tree of 24-bit records, the data, the metadata.
 * There is none on npm that is small and may be shipped.
 */
export function createMmdb(networks: Readonly<Record<string, object>>): Buffer {
  type Node = [Node | number | undefined, Node | number | undefined];
  const root: Node = [undefined, undefined];
  const data: Buffer[] = [];
  let dataLength = 0;
  for (const [network, value] of Object.entries(networks)) {
    const [address = "", length = "32"] = network.split("/");
    const bits = address
      .split(".")
      .map((part) => Number(part).toString(2).padStart(8, "0"))
      .join("")
      .slice(0, Number(length));
    let node = root;
    for (const bit of bits.slice(0, -1)) node = (node[Number(bit) as 0 | 1] ??= [undefined, undefined]) as Node;
    node[Number(bits.at(-1)) as 0 | 1] = dataLength;
    data.push(encode(value));
    dataLength += data.at(-1)!.length;
  }
  const nodes: Node[] = [root];
  for (const node of nodes) nodes.push(...node.filter((child): child is Node => Array.isArray(child)));
  const tree = Buffer.concat(
    nodes.map((node) => {
      const records = Buffer.alloc(6);
      node.forEach((child, i) => {
        const record =
          child === undefined
            ? nodes.length
            : typeof child === "number"
              ? nodes.length + 16 + child
              : nodes.indexOf(child);
        records.writeUIntBE(record, i * 3, 3);
      });
      return records;
    }),
  );
  const metadata = encode({
    node_count: nodes.length,
    record_size: 24,
    ip_version: 4,
    database_type: "Test-City",
    languages: ["en"],
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_780_000_000,
    description: { en: "a test" },
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from("\xab\xcd\xefMaxMind.com", "latin1"), metadata]);
}

function encode(value: unknown): Buffer {
  if (typeof value === "string") return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)]);
  if (typeof value === "number" && Number.isInteger(value)) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  if (typeof value === "number") {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    return Buffer.concat([control(3, 8), bytes]);
  }
  const entries = Object.entries(value as object);
  return Buffer.concat([control(7, entries.length), ...entries.flatMap(([key, own]) => [encode(key), encode(own)])]);
}

function control(type: number, size: number): Buffer {
  return type <= 7 ? Buffer.from([(type << 5) | size]) : Buffer.from([size, type - 7]);
}
