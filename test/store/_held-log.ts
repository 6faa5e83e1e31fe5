import { setImmediate } from "node:timers/promises";
import { Low, Memory } from "lowdb";
import type { Log } from "../../src/server/store/json/document/commits.ts";
import type { Change } from "../../src/server/store/json/document/tables.ts";
import { Document } from "../../src/server/store/json/document/document.ts";
import { createDocumentStore, createSnapshotMemory } from "../../src/server/store/json/document-store.ts";
import type { Store } from "../../src/server/store/store.ts";

/** A log that writes when released, and fails when told to. */
export class HeldLog implements Log {
  readonly groups: (readonly Change[])[] = [];
  readonly #held: ((error?: Error) => void)[] = [];
  /** False: it writes at once. */
  isHolding = true;

  async gather(): Promise<void> {}

  async probe(): Promise<void> {}

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

  async replace(_: Document, publish: () => void): Promise<void> {
    publish();
  }

  /** Releases the waiting group once there is one, and lets its followers start. */
  async next(error?: Error): Promise<void> {
    while (this.#held.length === 0) await setImmediate();
    this.#held.shift()!(error);
    await setImmediate();
  }

  get isIdle(): boolean {
    return this.#held.length === 0;
  }
}

/** A store over a log that writes at once until told to hold, and gathers like the one on a disk. */
export function openHeldStore(): { store: Store; log: HeldLog } {
  const log = new HeldLog();
  log.isHolding = false;
  log.gather = () => setImmediate();
  const low = new Low(new Memory<Document>(), new Document());
  const snapshotStorage = createSnapshotMemory();
  return {
    log,
    store: createDocumentStore({ location: "memory", low, log, snapshotStorage, closeLog: async () => {} }),
  };
}
