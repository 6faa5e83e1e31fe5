import { StorageUnavailable, type OpenStoreOptions } from "../store.ts";
import type { Lock } from "./lock.ts";
import { taken } from "./refusals.ts";

/** Reports when a store can't be written, why, and when it can be written again. */
export class Outage {
  readonly #path: string;
  readonly #lock: Lock;
  readonly #options: OpenStoreOptions;
  #isAway = false;
  #isTaken = false;

  constructor(path: string, lock: Lock, options: OpenStoreOptions) {
    this.#path = path;
    this.#lock = lock;
    this.#options = options;
  }

  async began(error: unknown): Promise<void> {
    if (!(error instanceof StorageUnavailable) || error.code === "store_closed") return;
    if (error.code === "store_changed" && (await this.#tellOwner())) return;
    if (this.#isAway) return;
    this.#isAway = true;
    this.#options.warn(
      `${this.#path} is unavailable: ${error.message}. Requests that change something get 503 until it is back.`,
    );
  }

  ended(): void {
    if (this.#isAway) this.#options.warn(`${this.#path} is available again.`);
    this.#isAway = false;
  }

  /** Unlike damage that a restart can repair: here another process owns the store. */
  async #tellOwner(): Promise<boolean> {
    const { onTaken } = this.#options;
    const owner = onTaken && !this.#isTaken ? await this.#lock.otherOwner() : undefined;
    if (owner === undefined) return this.#isTaken;
    this.#isTaken = true;
    onTaken!(taken(this.#path, owner));
    return true;
  }
}
