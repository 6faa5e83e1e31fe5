import type { FileHandle } from "node:fs/promises";
import { compactJsonStore, type Compaction } from "../json/maintenance/rewrite.ts";
import { openRepair as openJsonRepair, type Repair, type RepairOptions } from "../json/maintenance/repair.ts";
import type { Migration, StoreCheck } from "../maintenance.ts";
import type { Warn } from "../store.ts";
import { copyStore, type Copy, type Filled, type OnProgress } from "./copy.ts";
import type { Digests } from "./digest.ts";
import { driverOf, fromSource, jsonPath } from "./driver.ts";
import { exportStore, importStore } from "./export.ts";

/**
 * Operations on a store other than serving it. Each takes a location: the path of a `db.json`, or a database's URL.
 * @param warn receives warnings
 */
export const createMaintenance = (warn: Warn) => ({
  check: async (store: string): Promise<StoreCheck> => driverOf(store, warn).check(),
  openRepair: async (store: string, options: RepairOptions): Promise<Repair> =>
    openJsonRepair(jsonPath(store), options),
  compact: async (store: string): Promise<Compaction> => compactJsonStore(jsonPath(store)),
  migrate: async (store: string): Promise<Migration> => driverOf(store, warn).migrate(),
  copy: async (from: string, to: string, onProgress?: OnProgress): Promise<Copy> =>
    copyStore(driverOf(from, warn), driverOf(to, warn), onProgress),
  export: async (store: string, write: (text: string) => Promise<void>): Promise<Digests> =>
    fromSource(driverOf(store, warn), (source) => exportStore(source, write)),
  import: async (store: string, name: string, file: FileHandle, onProgress?: OnProgress): Promise<Filled> =>
    importStore(driverOf(store, warn), name, file, onProgress),
});

export type { Compaction, Copy, Digests, Filled, Migration, Repair, StoreCheck };
export type Maintenance = ReturnType<typeof createMaintenance>;
