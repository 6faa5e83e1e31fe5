import type { StateRecord } from "../records.ts";

/** Anyone may begin a sign-in, so what that leaves behind is bounded. */
const MAX_STATES = 50_000;
/** Dropped at a time, so that hardly any of those who begin a sign-in has to wait for it. */
const BATCH = 1024;
/** Removed states after which the search for the oldest begins anew, if no more are left. */
const FEW_REMOVED = 1024;

/** One instance's sign-ins that have begun and not ended, oldest first. */
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
    // An iterator that waits at an abandoned state keeps whatever memory the map has given up since.
    if (++this.#removed > this.#records.size + FEW_REMOVED) this.#beginAnew();
  }

  /** The states to drop: the expired ones, and where there are too many the oldest; a batch at most. */
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
