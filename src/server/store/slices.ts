import { setImmediate } from "node:timers";

/** How long lists and searches work before other requests get a turn, in ms. */
const SLICE_MS = 2;
/** If this much time passes between two slices, other work is waiting and goes first. */
const BUSY_MS = 0.2;
/** How long lists and searches wait for other work, in ms. */
const MOST_DEFERRED_MS = 20;

/**
 * Shares the event loop between long readings and everything else. Readings work in slices of time, one slice in each
 * turn of the event loop, and take turns. New ones go first, so that a short list does not wait for long ones.
 */
export class Slices {
  readonly #begun: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  /** When the slice under way ends. */
  #end = 0;
  /** When a reading last worked. */
  #worked = 0;
  #deferredSince: number | undefined;
  #isPlanned = false;

  /** Await this before each piece of work, of half a millisecond at most. @param isFirst for the first piece */
  next(isFirst = false): Promise<void> | undefined {
    const now = performance.now();
    this.#worked = now;
    if (now < this.#end) return undefined;
    if (!this.#isPlanned) {
      this.#begin(now);
      return undefined;
    }
    return new Promise((resolve) => void (isFirst ? this.#begun : this.#waiting).push(resolve));
  }

  #begin(now: number): void {
    this.#end = now + SLICE_MS;
    this.#plan();
  }

  #plan(): void {
    this.#isPlanned = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isPlanned = false;
    if (this.#begun.length + this.#waiting.length === 0) return;
    const now = performance.now();
    const isBusy = now - this.#worked > BUSY_MS;
    this.#deferredSince ??= now;
    if (isBusy && now - this.#deferredSince < MOST_DEFERRED_MS) {
      this.#worked = now;
      this.#plan();
      return;
    }
    this.#deferredSince = undefined;
    this.#begin(now);
    (this.#begun.shift() ?? this.#waiting.shift())!();
  }
}

/** One for the process: it has one event loop. */
export const slices = new Slices();
