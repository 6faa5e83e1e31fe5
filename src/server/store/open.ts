import { openJsonStore, readableFiles } from "./json/json-store.ts";
import { openMemoryStore } from "./json/memory-store.ts";
import { kindOf } from "./location.ts";
import type { Store, StoreOptions } from "./store.ts";

/**
 * Opens the store that is named: `memory`, the path of a `db.json`, or the address of a PostgreSQL database.
 * @throws {ServeError | StoreRefused}
 */
export async function openStore(name: string, options: StoreOptions): Promise<Store> {
  const kind = kindOf(name);
  if (kind === "memory") return openMemoryStore();
  if (kind === "postgres") return (await import("./postgres/postgres-store.ts")).openPostgresStore(name, options);
  const readable = await readableFiles(name);
  const store = await openJsonStore(name, options);
  // Opening makes them private; where a file system has no modes, they stay readable.
  if (readable.length > 0 && (await readableFiles(name)).length === 0)
    options.warn(
      `Until now everyone on this machine could read ${readable.join(" and ")}. If others may know the secret keys, replace them: svc dev keys rotate. If the store came with a repository, delete it: its author knows every secret in it.`,
    );
  return store;
}
