import { openJsonStore, openMemoryStore } from "./json/index.ts";
import { kindOf } from "./location.ts";
import type { Store } from "./store.ts";

/**
 * Opens the store that is named: `memory`, the path of a `db.json`, or the address of a PostgreSQL database.
 * @param warn told of what ends nothing; no secret is in it
 * @throws {ServeError | StoreRefused}
 */
export async function openStore(name: string, warn: (message: string) => void): Promise<Store> {
  const kind = kindOf(name, "--store: ");
  if (kind === "memory") return openMemoryStore();
  if (kind === "postgres") return (await import("./postgres/index.ts")).openPostgresStore(name, { warn });
  return openJsonStore(name, { warn });
}
