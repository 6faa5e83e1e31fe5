import type { Warn } from "../../store.ts";
import { parseAddress } from "./address.ts";
import { openDatabase, type Database, type DatabaseOptions } from "./database.ts";

/** The database at an address. What the address omits comes from libpq's variables. @throws {StoreRefused} */
export function openDatabaseAt(url: string, options: DatabaseOptions): Database {
  // eslint-disable-next-line node/no-process-env
  return openDatabase(parseAddress(url, process.env), options);
}

/** The same for a tool, which fails if the database is lost. @param warn receives warnings about insecure connections */
export function openToolDatabase(url: string, warn: Warn): Database {
  return openDatabaseAt(url, { warn, reportsLoss: false });
}
