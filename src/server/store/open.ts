import { openJsonStore } from "./json/json-store.ts";
import { openMemoryStore } from "./json/memory-store.ts";
import { kindOf } from "./location.ts";
import type { Store, StoreRefused } from "./store.ts";

export interface StoreOptions {
  /** Told of what ends nothing. No secret is in it. */
  warn(message: string): void;
  /** Told how long each write took until it was durable. */
  onCommit?: ((seconds: number) => void) | undefined;
  /** Told once when another process has taken the files: this one can't go on. */
  onTaken?: ((error: StoreRefused) => void) | undefined;
}

/**
 * Opens the store that is named: `memory`, the path of a `db.json`, or the address of a PostgreSQL database.
 * @throws {ServeError | StoreRefused}
 */
export async function openStore(name: string, options: StoreOptions): Promise<Store> {
  const kind = kindOf(name, "--store: ");
  if (kind === "memory") return openMemoryStore();
  if (kind === "postgres") return (await import("./postgres/index.ts")).openPostgresStore(name, options);
  return openJsonStore(name, options);
}
