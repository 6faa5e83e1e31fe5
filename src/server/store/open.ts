import { openMemoryStore } from "./memory/memory-store.ts";
import { keyFault } from "./record-faults.ts";
import { StoreRefused, type Store, type OpenStoreOptions } from "./store.ts";
import { ServeError } from "../errors.ts";

export { openMemoryStore };

/**
 * Opens the store that is named: `memory`, the path of a `db.json`, or the address of a PostgreSQL database.
 * @throws {ServeError | StoreRefused}
 */
export async function openStore(name: string, options: OpenStoreOptions): Promise<Store> {
  const store = await openAny(name, options);
  try {
    const fault = keyFault(await store.instances());
    if (fault !== undefined) throw new StoreRefused("unusable", `${store.location} can't be used: ${fault}`);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openAny(name: string, options: OpenStoreOptions): Promise<Store> {
  switch (kindOf(name)) {
    case "memory":
      return openMemoryStore();
    case "file":
      return (await import("./file/file-store.ts")).openFileStore(name, options);
    case "postgres":
      return (await import("./postgres/postgres-store.ts")).openPostgresStore(name, options);
  }
}

/**
 * The hosts of a store that are not this machine.
 * @param env variables that fill in what an address omits
 * @throws {ServeError} for an address that can't be read
 */
export async function storeHosts(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  return kindOf(name) === "postgres" ? (await import("./postgres/postgres-store.ts")).foreignHosts(name, env) : [];
}

export type StoreKind = "memory" | "file" | "postgres";

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
  return "file";
}
