import type { FileHandle } from "node:fs/promises";
import { compactJsonStore, type Compaction } from "../json/compact.ts";
import { openRepair as openJsonRepair, type Repair, type RepairOptions } from "../json/repair.ts";
import type { Migration, StoreCheck } from "../store.ts";
import { copyStore, type Copy } from "./copy.ts";
import type { Digests } from "./digest.ts";
import { driverOf, jsonPath } from "./driver.ts";
import { exportStore } from "./export.ts";
import type { Filled } from "./fill.ts";
import { importStore } from "./import.ts";

/** What can be done with a store beside serving it. Each takes a location: the path of a `db.json`, or a database's URL. */
export const maintenance = {
  check: async (store: string): Promise<StoreCheck> => driverOf(store).check(),
  openRepair: async (store: string, options: RepairOptions): Promise<Repair> =>
    openJsonRepair(jsonPath(store), options),
  compact: async (store: string): Promise<Compaction> => compactJsonStore(jsonPath(store)),
  migrate: async (store: string, warn: (message: string) => void): Promise<Migration> => driverOf(store).migrate(warn),
  copy: async (from: string, to: string, onProgress?: (done: number, total: number) => void): Promise<Copy> =>
    copyStore(driverOf(from), driverOf(to), onProgress),
  async export(store: string, write: (text: string) => Promise<void>): Promise<Digests> {
    const source = await driverOf(store).openSource();
    try {
      return await exportStore(source, write);
    } finally {
      await source.close();
    }
  },
  import: async (
    store: string,
    name: string,
    file: FileHandle,
    onProgress?: (done: number, total: number) => void,
  ): Promise<Filled & { readonly isEqual: boolean }> => importStore(driverOf(store), name, file, onProgress),
};

export type { Compaction, Copy, Digests, Filled, Migration, Repair, StoreCheck };
export type Maintenance = typeof maintenance;
