import type { Warn } from "../store.ts";
import { parseAddress } from "./address.ts";
import { openDatabase, type Database, type DatabaseOptions } from "./database.ts";

/** The database at an address. What that leaves out comes from libpq's variables. @throws {StoreRefused} */
export function openDatabaseAt(url: string, options: DatabaseOptions): Database {
  // eslint-disable-next-line node/no-process-env
  return openDatabase(parseAddress(url, process.env), options);
}

/** The same for a tool, which ends with its error where the database goes away. @param warn told of what is not safe */
export function openToolDatabase(url: string, warn: Warn): Database {
  return openDatabaseAt(url, { warn, reportsLoss: false });
}
