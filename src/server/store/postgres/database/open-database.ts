import type { Warn } from "../../store.ts";
import { parseAddress } from "./address.ts";
import { openDatabase, type Database } from "./database.ts";

/**
 * The database at an address. What the address omits comes from libpq's variables.
 * @param warn receives warnings, such as one about an insecure connection
 * @throws {ServeError}
 */
export function openDatabaseAt(url: string, warn: Warn): Database {
  // eslint-disable-next-line node/no-process-env
  return openDatabase(parseAddress(url, process.env), warn);
}
