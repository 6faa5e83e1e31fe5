import { readFile, stat } from "node:fs/promises";
import type { Address, Host } from "./address.ts";

/**
 * The password for a host: the address's own or `PGPASSWORD`, else the one in the password file, in the form of libpq's
 * `.pgpass`. Like libpq it ignores a file that others can read.
 */
export async function passwordFor(address: Address, { host, port }: Host): Promise<string | undefined> {
  if (address.password !== undefined) return address.password;
  try {
    if (process.platform !== "win32" && ((await stat(address.passwordFile)).mode & 0o077) !== 0) return undefined;
    const lines = (await readFile(address.passwordFile, "utf8")).split(/\r?\n/);
    const wanted = [host.startsWith("/") ? "localhost" : host, String(port), address.database, address.username];
    return lines
      .map(fieldsOf)
      .find((fields) => wanted.every((value, n) => fields[n] === "*" || fields[n] === value))?.[4];
  } catch {
    return undefined;
  }
}

/** `host:port:database:user:password`; a backslash makes the next character literal. */
function fieldsOf(line: string): string[] {
  if (line.startsWith("#")) return [];
  const fields = [""];
  for (let n = 0; n < line.length; n++) {
    const character = line[n]!;
    if (character === "\\" && n + 1 < line.length) fields[fields.length - 1] += line[++n]!;
    else if (character === ":" && fields.length < 5) fields.push("");
    else fields[fields.length - 1] += character;
  }
  return fields;
}
