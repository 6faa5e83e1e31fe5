import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { changeSetting } from "../settings.ts";
import type { Store, StoreOptions } from "../store.ts";
import { followed, readableFiles } from "./files/directory.ts";
import { createDocumentStore } from "./document-store.ts";
import { Files } from "./files/files.ts";
import { observed } from "./observed.ts";
import { createSnapshotFiles } from "./snapshot-files.ts";

/**
 * Opens the file store; `path` is that of its `db.json`. One process at a time may have it.
 * @throws {StoreRefused} when another process has it, or it is damaged
 */
export async function openJsonStore(path: string, options: StoreOptions): Promise<Store> {
  const location = resolve(path);
  const target = await followed(location);
  const readable = await readableFiles(path);
  const files = await Files.open(target, options);
  // Opening makes them private; where a file system has no modes, they stay readable.
  if (readable.length > 0 && (await readableFiles(path)).length === 0)
    options.warn(
      `Until now everyone on this machine could read ${readable.join(" and ")}. If others may know the secret keys, replace them: svc dev keys rotate. If the store came with a repository, delete it: its author knows every secret in it.`,
    );
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
