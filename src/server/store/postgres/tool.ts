import { parseAddress } from "./address.ts";
import { openDatabase, type Database } from "./database.ts";
import { postgresEnvironment } from "./environment.ts";

/** What a tool says while it works: that a connection is not safe. */
export type Warn = (message: string) => void;

/** A database for a tool, which ends with its error where the database goes away. @throws {StoreRefused} */
export function openToolDatabase(url: string, warn: Warn): Database {
  return openDatabase(parseAddress(url, postgresEnvironment()), { warn, reportsLoss: false });
}
