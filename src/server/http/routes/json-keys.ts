const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/g;

/**
 * Whether the outermost object of a JSON text that parses has a key twice. `JSON.parse` takes the last one, other
 * readers the first, so that a proxy and a server can see different things (RFC 8259, 4).
 */
export function repeatedKey(text: string): boolean {
  const keys = new Set<string>();
  let depth = 0;
  let last = "";
  for (const part of text.match(TOKEN) ?? []) {
    if (part === "{" || part === "[") depth++;
    else if (part === "}" || part === "]") depth--;
    else if (part === ":" && depth === 1) {
      const key = JSON.parse(last) as string;
      if (keys.has(key)) return true;
      keys.add(key);
    }
    last = part;
  }
  return false;
}
