import { ServeError } from "../../errors.ts";
import { checkJsonStore } from "../json/maintenance/check.ts";
import { migrateJsonStore } from "../json/maintenance/rewrite.ts";
import { openJsonSource } from "../json/maintenance/source.ts";
import { openJsonTarget } from "../json/maintenance/target.ts";
import { kindOf } from "../open.ts";
import type { Migration, Source, StoreCheck, Target } from "../maintenance.ts";
import type { Warn } from "../store.ts";

/** The maintenance operations of a kind of store. */
export interface Driver {
  openSource(): Promise<Source>;
  openTarget(): Promise<Target>;
  check(): Promise<StoreCheck>;
  /** Upgrades it to the newest format. */
  migrate(): Promise<Migration>;
}

/**
 * The driver of a location.
 * @param warn receives warnings
 * @throws {ServeError} if it is neither the path of a `db.json` nor a database's address
 */
export function driverOf(location: string, warn: Warn = () => {}): Driver {
  switch (kindOf(location)) {
    case "memory":
      throw inMemory();
    case "json":
      return jsonDriver(location, warn);
    case "postgres":
      return postgresDriver(location, warn);
  }
}

/** Opens a store for reading. @throws {StoreRefused} */
export async function fromSource<Result>(driver: Driver, read: (source: Source) => Promise<Result>): Promise<Result> {
  const source = await driver.openSource();
  try {
    return await read(source);
  } finally {
    await source.close();
  }
}

/** @throws {ServeError} if a location is not that of a file store */
export function jsonPath(location: string): string {
  switch (kindOf(location)) {
    case "memory":
      throw inMemory();
    case "json":
      return location;
    case "postgres":
      throw new ServeError("This command is for a db.json. A database maintains its own files.");
  }
}

function inMemory(): ServeError {
  return new ServeError("A store in memory ends with its server. Give the path of a db.json.");
}

function jsonDriver(path: string, warn: Warn): Driver {
  return {
    openSource: () => openJsonSource(path),
    openTarget: () => openJsonTarget(path),
    check: () => checkJsonStore(path),
    migrate: () => migrateJsonStore(path, warn),
  };
}

function postgresDriver(url: string, warn: Warn): Driver {
  return {
    openSource: async () => (await import("../postgres/transfer.ts")).openPostgresSource(url, warn),
    openTarget: async () => (await import("../postgres/transfer.ts")).openPostgresTarget(url, warn),
    check: async () => (await import("../postgres/check.ts")).checkPostgres(url, warn),
    migrate: async () => (await import("../postgres/migrate.ts")).migratePostgres(url, warn),
  };
}
