import { checkJsonStore } from "../json/check.ts";
import { migrateJsonStore } from "../json/migrate.ts";
import { openJsonSource } from "../json/source.ts";
import { openJsonTarget } from "../json/target.ts";
import { StoreRefused, type Migration, type Source, type StoreCheck, type Target } from "../store.ts";

/** What each kind of store offers for looking after it and moving it. */
export interface Driver {
  openSource(): Promise<Source>;
  openTarget(): Promise<Target>;
  check(): Promise<StoreCheck>;
  /** Brings it to the newest format. */
  migrate(warn: (message: string) => void): Promise<Migration>;
}

/**
 * The driver of a location: the path of a `db.json`, or a database's URL.
 * @throws {StoreRefused} where it is neither. A URL is never repeated: there may be a password in it
 */
export function driverOf(location: string): Driver {
  const scheme = schemeOf(location);
  if (scheme === undefined) return jsonDriver(location);
  throw new StoreRefused("unusable", `"${scheme}:" is no store that svc knows. Give the path of a db.json.`);
}

/** @throws {StoreRefused} where a location is not that of a file store */
export function jsonPath(location: string): string {
  if (location === "memory")
    throw new StoreRefused("unusable", "A store in memory ends with its server. Name another with --store.");
  if (schemeOf(location) !== undefined)
    throw new StoreRefused("unusable", "A database looks after its own files. This is for a db.json.");
  if (!location.endsWith(".json"))
    throw new StoreRefused("unusable", `"${location}" must end in .json, as db.json does.`);
  return location;
}

function jsonDriver(location: string): Driver {
  const path = jsonPath(location);
  return {
    openSource: () => openJsonSource(path),
    openTarget: () => openJsonTarget(path),
    check: () => checkJsonStore(path),
    migrate: (warn) => migrateJsonStore(path, warn),
  };
}

function schemeOf(location: string): string | undefined {
  return /^([a-z][a-z+.-]*):\/\//i.exec(location)?.[1]?.toLowerCase();
}
