import type { StateRecord } from "../records.ts";

/** Anyone may start a sign-in, so the number of unfinished ones is bounded. */
const MAX_STATES = 50_000;
/** The number dropped at a time. Small, so that starting a sign-in hardly ever waits for it. */
const BATCH = 1024;

/** One instance's unfinished sign-ins, oldest first. */
export class StateQueue {
  readonly #records = new Map<string, StateRecord>();
  /** The oldest at the last look. A map looks for its first entry past the places of all that were removed before it. */
  #oldest: StateRecord | undefined;

  get size(): number {
    return this.#records.size;
  }

  values(): Iterable<StateRecord> {
    return this.#records.values();
  }

  get(state: string): StateRecord | undefined {
    return this.#records.get(state);
  }

  set(before: StateRecord | undefined, after: StateRecord | undefined): void {
    if (before) {
      this.#records.delete(before.state);
      if (this.#oldest === before) this.#oldest = undefined;
    }
    if (after) this.#records.set(after.state, after);
  }

  /** The states to drop: the expired ones, and if there are too many the oldest; at most a batch. */
  outdated(now: string): StateRecord[] {
    const stays = ({ expires_at }: StateRecord): boolean => expires_at > now && this.#records.size <= MAX_STATES;
    if (this.#oldest && stays(this.#oldest)) return [];
    const dropped: StateRecord[] = [];
    for (const record of this.#records.values()) {
      if (dropped.length === 0) this.#oldest = record;
      if (dropped.length === BATCH || stays(record)) break;
      dropped.push(record);
    }
    return dropped;
  }
}
