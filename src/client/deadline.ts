import { ConfigError } from "./errors.ts";

/** Timers take no more than 2^31 milliseconds; that is 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** The time of one call, and the caller's way to end it sooner. */
export interface Deadline {
  /** Fires at whichever comes first. */
  readonly signal: AbortSignal;
  /** Whether it was the time that ran out. */
  readonly isOver: boolean;
  leftMs(): number;
  /** @throws the signal's reason where it fires first */
  until<Value>(promise: Promise<Value>): Promise<Value>;
  sleep(milliseconds: number): Promise<void>;
  /** To be called when the call is done: lets go of the timer and the caller's signal. */
  end(): void;
}

/** @throws {ConfigError} for a time that is none */
export function startDeadline(timeoutMs: number, own: AbortSignal | undefined): Deadline {
  if (!(timeoutMs > 0)) throw new ConfigError("timeoutMs must be a number above 0; Infinity waits for ever");
  const controller = new AbortController();
  const { signal } = controller;
  const endsAt = performance.now() + timeoutMs;
  let isOver = false;
  const timer =
    timeoutMs > LONGEST_MS
      ? undefined
      : setTimeout(() => {
          isOver = true;
          controller.abort();
        }, timeoutMs);
  const onOwn = (): void => controller.abort(own?.reason);
  if (own?.aborted) onOwn();
  else own?.addEventListener("abort", onOwn, { once: true });

  // What is shared with other calls goes on; only this one's waiting ends.
  const until = <Value>(promise: Promise<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason as Error);
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
      promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    });

  return {
    signal,
    get isOver() {
      return isOver;
    },
    leftMs: () => endsAt - performance.now(),
    until,
    async sleep(milliseconds) {
      let sleeping: NodeJS.Timeout | undefined;
      try {
        await until(new Promise((resolve) => (sleeping = setTimeout(resolve, milliseconds))));
      } finally {
        clearTimeout(sleeping);
      }
    },
    end() {
      clearTimeout(timer);
      own?.removeEventListener("abort", onOwn);
    },
  };
}
