import { ServeError } from "../errors.ts";

export type StoreKind = "memory" | "json" | "postgres";

/**
 * Parses a location: the path of a `db.json`, a database's address, or `memory`.
 * @throws {ServeError} if it is none of them. The message never repeats an address, which may contain a password
 */
export function kindOf(location: string): StoreKind {
  if (location === "memory") return "memory";
  const [, scheme] = /^([a-z][a-z+.-]*):\/\//i.exec(location) ?? [];
  if (/^postgres(ql)?:/i.test(location)) return "postgres";
  if (scheme !== undefined)
    throw new ServeError(
      `"${scheme}:" is not a supported kind of store. ` +
        'Give the path of a db.json, the address of a database (postgres://user@host/database), or "memory".',
    );
  if (!location.endsWith(".json")) throw new ServeError(`The store "${location}" must end in .json, as db.json does.`);
  return "json";
}
