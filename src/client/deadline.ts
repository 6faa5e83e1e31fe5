import { ConfigError } from "./errors.ts";

/** The longest time that timers take: 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** The time limit of one call, and the caller's signal to end it sooner. */
export interface Deadline {
  /** Whether the time has run out. */
  readonly isOver: boolean;
  /** Aborts when the call is to end. */
  readonly signal: AbortSignal;
  leftMs(): number;
  /** @throws the reason, if the call is to end first */
  until<Value>(promise: Promise<Value>): Promise<Value>;
  sleep(milliseconds: number): Promise<void>;
  /** To be called when the call is done: releases the timer and the caller's signal. */
  end(): void;
}

/** @throws {ConfigError} if timeoutMs is not a positive number, or the signal is none */
export function startDeadline(timeoutMs: number, own: AbortSignal | undefined): Deadline {
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0))
    throw new ConfigError("timeoutMs must be a number greater than 0; Infinity waits forever");
  if (own && typeof own.addEventListener !== "function") throw new ConfigError("signal must be an AbortSignal");
  const endsAt = performance.now() + timeoutMs;
  const controller = new AbortController();
  const { signal } = controller;
  const stopped = new Promise<never>((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error)),
  );
  stopped.catch(() => undefined);
  // What is shared with other calls continues. Only this call stops waiting.
  const until = <Value>(promise: Promise<Value>): Promise<Value> => Promise.race([promise, stopped]);

  let isOver = false;
  const onTime = (): void => {
    isOver = true;
    controller.abort(new DOMException("The request timed out", "TimeoutError"));
  };
  const timer = timeoutMs > LONGEST_MS ? undefined : setTimeout(onTime, timeoutMs);
  signal.addEventListener("abort", () => clearTimeout(timer));
  const forgetOwn = own && onAbort(own, () => controller.abort(own.reason));

  return {
    get isOver() {
      return isOver;
    },
    signal,
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
      forgetOwn?.();
    },
  };
}

/** The calls that a caller's signal would end. */
const stopsOf = new WeakMap<AbortSignal, Set<() => void>>();
const stopAll = ({ target }: Event): void => stopsOf.get(target as AbortSignal)?.forEach((stop) => stop());

/** One listener for all calls with a signal: Node warns of a leak at the eleventh. Returns a function that unregisters it. */
function onAbort(signal: AbortSignal, stop: () => void): () => void {
  if (signal.aborted) stop();
  const stops = stopsOf.get(signal) ?? new Set();
  stopsOf.set(signal, stops.add(stop));
  signal.addEventListener("abort", stopAll);
  return () => {
    stops.delete(stop);
    if (stops.size === 0) signal.removeEventListener("abort", stopAll);
  };
}
