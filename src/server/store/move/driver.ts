import { ServeError } from "../../errors.ts";
import { checkJsonStore } from "../json/check.ts";
import { migrateJsonStore } from "../json/migrate.ts";
import { openJsonSource } from "../json/source.ts";
import { openJsonTarget } from "../json/target.ts";
import type { Migration, Source, StoreCheck, Target } from "../store.ts";

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
 * @throws {ServeError} where it is neither. A URL is never repeated: there may be a password in it
 */
export function driverOf(location: string): Driver {
  const scheme = schemeOf(location);
  if (scheme === undefined) return jsonDriver(location);
  throw new ServeError(`"${scheme}:" is no store that svc knows. Give the path of a db.json.`);
}

/** @throws {ServeError} where a location is not that of a file store */
export function jsonPath(location: string): string {
  if (location === "memory")
    throw new ServeError("A store in memory ends with its server. Give the path of a db.json.");
  if (schemeOf(location) !== undefined)
    throw new ServeError("A database looks after its own files. This is for a db.json.");
  if (!location.endsWith(".json")) throw new ServeError(`"${location}" must end in .json, as db.json does.`);
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
