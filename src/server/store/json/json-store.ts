import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { changeSetting } from "../settings.ts";
import type { Store, StoreOptions } from "../store.ts";
import { followed } from "./files/directory.ts";
import { createDocumentStore } from "./document-store.ts";
import { Files } from "./files/files.ts";
import { observed } from "./observed.ts";
import { createSnapshotFiles } from "./snapshot-files.ts";

export { readableFiles } from "./files/directory.ts";

/**
 * Opens the file store; `path` is that of its `db.json`. One process at a time may have it.
 * @throws {StoreRefused} when another process has it, or it is damaged
 */
export async function openJsonStore(path: string, options: StoreOptions): Promise<Store> {
  const location = resolve(path);
  const target = await followed(location);
  const files = await Files.open(target, options);
  const store: Store = createDocumentStore({
    location,
    low: files.low,
    log: observed(files, location, options),
    snapshotStorage: createSnapshotFiles(target, () => idOf(store)),
    closeLog: () => files.close(),
  });
  return store;
}

/** Identifies a store. Created on first use. */
async function idOf(store: Store): Promise<string> {
  const value = await changeSetting(store, "store", (before) => before ?? { id: randomUUID() });
  return String(value?.["id"]);
}
