import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { changeSetting } from "../settings.ts";
import { type Store, type StoreOptions, StorageUnavailable } from "../store.ts";
import { followed, readableFiles } from "./files/directory.ts";
import { createDocumentStore } from "./document-store.ts";
import { Files } from "./files/files.ts";
import { createSnapshotFiles } from "./snapshot-files.ts";
import type { Log } from "./document/commits.ts";
import { taken } from "./files/refusals.ts";

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

/** Times each write, and reports once when writing starts to fail, with the reason, and when it works again. */
function observed(log: Files, location: string, { warn, onCommit, onTaken }: StoreOptions): Log {
  let isAway = false;
  let isTaken = false;

  /** Unlike damage that a restart can repair: here another process owns the store. */
  async function tellOwner(): Promise<boolean> {
    const owner = onTaken && !isTaken ? await log.takenBy() : undefined;
    if (owner === undefined) return isTaken;
    isTaken = true;
    onTaken!(taken(location, owner));
    return true;
  }

  async function watch(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      if (isAway) warn(`${location} is available again.`);
      isAway = false;
    } catch (error) {
      const isOutage = error instanceof StorageUnavailable && error.code !== "store_closed";
      const isOthers = error instanceof StorageUnavailable && error.code === "store_changed" && (await tellOwner());
      if (isOutage && !isAway && !isOthers)
        warn(`${location} is unavailable: ${error.message}. Requests that change something get 503 until it is back.`);
      isAway ||= isOutage;
      throw error;
    }
  }

  return {
    append: (changes) =>
      watch(async () => {
        const started = performance.now();
        await log.append(changes);
        onCommit?.((performance.now() - started) / 1000);
      }),
    gather: () => setImmediate(),
    probe: () => watch(() => log.probe()),
    replace: (document, publish) => watch(() => log.replace(document, publish)),
  };
}
