import { useSignal, type Signal } from "@preact/signals";
import { useCallback, useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { ServerEvent } from "../../control-client/index.ts";
import { changes } from "./client.ts";
import { onEvent } from "./stream.ts";

export interface Load<Result> {
  /** The last result. Kept while a newer one is loading, so that the page does not jump, unless other inputs have failed. */
  readonly data: Result | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

/** Loads everything again that is shown, because records were changed. */
export function reloadAll(): void {
  changes.value++;
}

/**
 * Loads a view's data, and again whenever one of `inputs` changes or what is shown may be old. A late response never
 * replaces a newer one.
 */
export function useLoad<Result>(load: () => Promise<Result>, inputs: readonly unknown[]): Load<Result> {
  const state: Signal<Omit<Load<Result>, "reload">> = useSignal({ data: undefined, error: undefined, isLoading: true });
  const latest = useRef(0);
  const loadedBy = useRef<() => void>(undefined);
  const reload = useCallback(() => {
    const turn = ++latest.current;
    state.value = { ...state.peek(), isLoading: true };
    const settle = (data: Result | undefined, error?: Error): void => {
      if (turn !== latest.current) return;
      state.value = { data, error, isLoading: false };
      loadedBy.current = reload;
    };
    load().then(settle, (error: Error) => settle(loadedBy.current === reload ? state.peek().data : undefined, error));
    // The inputs are the dependencies of `load`.
  }, inputs);
  useLayoutEffect(() => {
    reload();
    return () => {
      latest.current++;
    };
  }, [reload, changes.value]);
  return { ...state.value, reload };
}

const RELOAD_MS = 1000;

/** Loads again after an event that may have changed the data, at most once a second. */
export function useReloadOn(isRelevant: (event: ServerEvent) => boolean, reload: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = -Infinity;
    const stop = onEvent((event) => {
      if (timer !== undefined || !isRelevant(event)) return;
      const pause = Math.max(0, last + RELOAD_MS - performance.now());
      timer = setTimeout(() => {
        timer = undefined;
        last = performance.now();
        reload();
      }, pause);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [reload]);
}
