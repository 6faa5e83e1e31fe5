import { openJsonStore } from "./json/json-store.ts";
import { openMemoryStore } from "./json/memory-store.ts";
import { kindOf } from "./location.ts";
import type { Store, StoreOptions } from "./store.ts";

/**
 * Opens the store that is named: `memory`, the path of a `db.json`, or the address of a PostgreSQL database.
 * @throws {ServeError | StoreRefused}
 */
export async function openStore(name: string, options: StoreOptions): Promise<Store> {
  switch (kindOf(name)) {
    case "memory":
      return openMemoryStore();
    case "json":
      return openJsonStore(name, options);
    case "postgres":
      return (await import("./postgres/postgres-store.ts")).openPostgresStore(name, options);
  }
}
