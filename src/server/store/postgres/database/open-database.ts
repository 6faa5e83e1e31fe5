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

/** The replicas that an address names for lists and searches. */
export interface Replicas {
  readonly database: Database;
  /** How old what they show may be. */
  readonly maxLagMs: number;
}

/** @returns undefined if the address names none */
export function openReplicasOf(url: string, warn: Warn): Replicas | undefined {
  // eslint-disable-next-line node/no-process-env
  const address = parseAddress(url, process.env);
  const { searchHosts, limits } = address;
  if (searchHosts.length === 0) return undefined;
  const location = searchHosts.map(({ host, port }) => `${host}:${port}`).join(",");
  const of = { ...address, location: `search_hosts ${location}`, hosts: searchHosts, target: "any" as const };
  return { database: openDatabase(of, warn), maxLagMs: limits.searchLagMs };
}
