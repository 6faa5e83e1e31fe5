import type { StateRecord } from "../../records.ts";

/** Anyone may start a sign-in, so the number of unfinished ones is bounded. */
const MAX_STATES = 50_000;
/** The number dropped at a time. Small, so that starting a sign-in hardly ever waits for it. */
const BATCH = 1024;
/** The search for the oldest restarts after this many more removals than there are states. */
const FEW_REMOVED = 1024;

/** One instance's unfinished sign-ins, oldest first. */
export class StateQueue {
  readonly #records = new Map<string, StateRecord>();
  /** Keeps its position: restarting would skip over every removed entry. */
  #fromOldest = this.#records.values();
  #oldest: StateRecord | undefined;
  /** Since the search for the oldest began. */
  #removed = 0;

  add(record: StateRecord): void {
    this.#records.set(record.state, record);
  }

  remove({ state }: StateRecord): void {
    this.#records.delete(state);
    // An iterator that stays at an abandoned state retains memory that the map has released since.
    if (++this.#removed > this.#records.size + FEW_REMOVED) this.#beginAnew();
  }

  /** The states to drop: the expired ones, and if there are too many the oldest; at most a batch. */
  outdated(now: string): string[] {
    const oldest = this.#peek();
    const hasExpired = oldest !== undefined && oldest.expires_at <= now;
    if (!hasExpired && this.#records.size <= MAX_STATES) return [];
    const dropped: string[] = [];
    for (const { state, expires_at } of this.#records.values()) {
      if (dropped.length === BATCH || (expires_at > now && this.#records.size <= MAX_STATES)) break;
      dropped.push(state);
    }
    return dropped;
  }

  #peek(): StateRecord | undefined {
    while (this.#oldest === undefined || this.#records.get(this.#oldest.state) !== this.#oldest) {
      const { value } = this.#fromOldest.next();
      this.#oldest = value;
      if (value !== undefined) continue;
      // An iterator that has come to the end stays there.
      this.#beginAnew();
      if (this.#records.size === 0) return undefined;
    }
    return this.#oldest;
  }

  #beginAnew(): void {
    this.#fromOldest = this.#records.values();
    this.#oldest = undefined;
    this.#removed = 0;
  }
}
