import { ServeError } from "../errors.ts";
import { openJsonStore, openMemoryStore } from "./json/index.ts";
import type { Store } from "./store.ts";

/**
 * Opens the store that is named: `memory`, the path of a `db.json`, or the address of a PostgreSQL database.
 * @param warn told of what ends nothing; no secret is in it
 * @throws {ServeError | StoreRefused}
 */
export async function openStore(name: string, warn: (message: string) => void): Promise<Store> {
  if (name === "memory") return openMemoryStore();
  if (isPostgres(name)) return (await import("./postgres/index.ts")).openPostgresStore(name, { warn });
  if (/^[a-z+]+:\/\//i.test(name))
    throw new ServeError(
      `--store: "${name.split(":")[0]}:" is no store that svc knows. ` +
        'Give the path of a db.json, the address of a database (postgres://user@host/database), or "memory".',
    );
  if (!name.endsWith(".json")) throw new ServeError(`--store: "${name}" must end in .json, as db.json does.`);
  return openJsonStore(name, { warn });
}

function isPostgres(name: string): boolean {
  return /^postgres(ql)?:/i.test(name);
}
