import { StorageUnavailable, type OpenStoreOptions } from "../store.ts";
import type { Lock } from "./lock.ts";
import { taken } from "./refusals.ts";

/** Reports when a store can't be written, why, and when it can be written again. */
export function createOutage(path: string, lock: Lock, { warn, onTaken }: OpenStoreOptions) {
  let isAway = false;
  let isTaken = false;

  /** Unlike damage that a restart can repair: here another process owns the store. */
  async function tellOwner(): Promise<boolean> {
    const owner = onTaken && !isTaken ? await lock.otherOwner() : undefined;
    if (owner === undefined) return isTaken;
    isTaken = true;
    onTaken!(taken(path, owner));
    return true;
  }

  return {
    async began(error: unknown): Promise<void> {
      if (!(error instanceof StorageUnavailable) || error.code === "store_closed") return;
      if (error.code === "store_changed" && (await tellOwner())) return;
      if (isAway) return;
      isAway = true;
      warn(`${path} is unavailable: ${error.message}. Requests that change something get 503 until it is back.`);
    },

    ended(): void {
      if (isAway) warn(`${path} is available again.`);
      isAway = false;
    },
  };
}
