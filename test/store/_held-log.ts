// Below the faces: a log that writes when it is told to.

import { setImmediate } from "node:timers/promises";
import type { Log } from "../../src/server/store/memory/commits.ts";
import type { Change } from "../../src/server/store/memory/tables.ts";
import { Commits } from "../../src/server/store/memory/commits.ts";
import { createOperations } from "../../src/server/store/memory/memory-store.ts";
import { createSnapshotMemory } from "../../src/server/store/memory/snapshots.ts";
import { Tables } from "../../src/server/store/memory/tables.ts";
import type { Store } from "../../src/server/store/store.ts";

/** A log that writes when released, and fails when told to. */
export class HeldLog implements Log {
  readonly groups: (readonly Change[])[] = [];
  readonly isLong = false;
  readonly #held: ((error?: Error) => void)[] = [];
  /** False: it writes at once. */
  isHolding = true;

  append(changes: readonly Change[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#held.push((error) => {
        if (error) return reject(error);
        this.groups.push(changes);
        resolve();
      });
      if (!this.isHolding) this.#held.pop()!();
    });
  }

  async replace(): Promise<void> {}

  async compact(): Promise<void> {}

  onHang(): void {}

  /** Resolves when a group waits to be written. */
  async isAsked(): Promise<void> {
    while (this.#held.length === 0) await setImmediate();
  }

  /** Releases the waiting group once there is one, and lets its followers start. */
  async next(error?: Error): Promise<void> {
    await this.isAsked();
    this.#held.shift()!(error);
    await setImmediate();
  }

  get isIdle(): boolean {
    return this.#held.length === 0;
  }
}

/** A store over a log that writes at once until told to hold. */
export function openHeldStore(): { store: Store; log: HeldLog } {
  const log = new HeldLog();
  log.isHolding = false;
  const operations = createOperations(new Commits(new Tables(), log), createSnapshotMemory());
  return { log, store: { location: "memory", ...operations, probe: async () => {}, close: async () => {} } };
}
