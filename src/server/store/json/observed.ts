import { StorageUnavailable, type StoreOptions } from "../store.ts";
import type { Files } from "./files/files.ts";
import type { Log } from "./document/commits.ts";
import { taken } from "./files/refusals.ts";

/** Times each write, and reports once when writing starts to fail, with the reason, and when it works again. */
export function observed(log: Files, location: string, { warn, onCommit, onTaken }: StoreOptions): Log {
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
    gather: () => log.gather(),
    probe: () => watch(() => log.probe()),
    replace: (document, publish) => watch(() => log.replace(document, publish)),
  };
}
