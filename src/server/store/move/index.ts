import type { FileHandle } from "node:fs/promises";
import { ServeError } from "../../errors.ts";
import { checkJsonStore } from "../json/maintenance/check.ts";
import { openRepair, type Repair, type RepairOptions } from "../json/maintenance/repair.ts";
import { compactJsonStore, migrateJsonStore, type Compaction } from "../json/maintenance/rewrite.ts";
import { openJsonSource } from "../json/maintenance/source.ts";
import { openJsonTarget } from "../json/maintenance/target.ts";
import { fromSource, type Driver, type Migration, type StoreCheck } from "../maintenance.ts";
import { kindOf } from "../open.ts";
import type { Warn } from "../store.ts";
import { copyStore, type Copy, type Filled, type OnProgress, type Digests } from "./copy.ts";
import { exportStore, importStore } from "./export.ts";

type Kind = Exclude<ReturnType<typeof kindOf>, "memory">;

const DRIVERS: Readonly<Record<Kind, (location: string, warn: Warn) => Driver>> = {
  json: (path, warn) => ({
    openSource: () => openJsonSource(path),
    openTarget: () => openJsonTarget(path),
    check: () => checkJsonStore(path),
    migrate: () => migrateJsonStore(path, warn),
  }),
  postgres: (url, warn) => ({
    openSource: async () => (await import("../postgres/transfer.ts")).openPostgresSource(url, warn),
    openTarget: async () => (await import("../postgres/transfer.ts")).openPostgresTarget(url, warn),
    check: async () => (await import("../postgres/check.ts")).checkPostgres(url, warn),
    migrate: async () => (await import("../postgres/migrate.ts")).migratePostgres(url, warn),
  }),
};

/** @throws {ServeError} if it is neither the path of a `db.json` nor a database's address */
export function driverOf(location: string, warn: Warn = () => {}): Driver {
  return DRIVERS[lastingKind(location)](location, warn);
}

function lastingKind(location: string): Kind {
  const kind = kindOf(location);
  if (kind === "memory") throw new ServeError("A store in memory ends with its server. Give the path of a db.json.");
  return kind;
}

/** @throws {ServeError} if a location is not that of a file store */
function jsonPath(location: string): string {
  if (lastingKind(location) === "json") return location;
  throw new ServeError("This command is for a db.json. A database maintains its own files.");
}

/**
 * Operations on a store other than serving it. Each takes a location: the path of a `db.json`, or a database's URL.
 * @param warn receives warnings
 */
export const createMaintenance = (warn: Warn) => ({
  check: async (store: string): Promise<StoreCheck> => driverOf(store, warn).check(),
  openRepair: async (store: string, options: RepairOptions): Promise<Repair> => openRepair(jsonPath(store), options),
  compact: async (store: string): Promise<Compaction> => compactJsonStore(jsonPath(store)),
  migrate: async (store: string): Promise<Migration> => driverOf(store, warn).migrate(),
  copy: async (from: string, to: string, onProgress?: OnProgress): Promise<Copy> =>
    copyStore(driverOf(from, warn), driverOf(to, warn), onProgress),
  export: async (store: string, write: (text: string) => Promise<void>): Promise<Digests> =>
    fromSource(driverOf(store, warn), (source) => exportStore(source, write)),
  import: async (store: string, name: string, file: FileHandle, onProgress?: OnProgress): Promise<Filled> =>
    importStore(driverOf(store, warn), name, file, onProgress),
});

export type { Compaction, Copy, Digests, Filled, Repair };
export type Maintenance = ReturnType<typeof createMaintenance>;
