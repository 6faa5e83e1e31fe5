import { openMemoryStore } from "./json/memory-store.ts";
import type { Origin } from "./json/origin.ts";
import { keyFault } from "./record-faults.ts";
import { kindOf } from "./location.ts";
import { StoreRefused, type Store, type StoreOptions } from "./store.ts";

export { openMemoryStore };

/**
 * Opens the store that is named: `memory`, the path of a `db.json`, or the address of a PostgreSQL database.
 * @throws {ServeError | StoreRefused}
 */
export async function openStore(name: string, options: StoreOptions): Promise<Store> {
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

async function openAny(name: string, options: StoreOptions): Promise<Store> {
  switch (kindOf(name)) {
    case "memory":
      return openMemoryStore();
    case "json":
      return (await import("./json/json-store.ts")).openJsonStore(name, options);
    case "postgres":
      return (await import("./postgres/postgres-store.ts")).openPostgresStore(name, options);
  }
}

/** Whether a user's own svc may have created a store; undefined if it is in no file. @throws {ServeError | StoreRefused} */
export async function storeOrigin(name: string): Promise<Origin | undefined> {
  return kindOf(name) === "json" ? (await import("./json/origin.ts")).originOf(name) : undefined;
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
