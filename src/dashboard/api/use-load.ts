import { useSignal, type Signal } from "@preact/signals";
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";
import { recoveries } from "./service.ts";

export interface Load<Result> {
  /** The last result. Kept while a newer one is loading, so that the page does not jump. */
  readonly data: Result | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

/** Loads a view's data, again whenever one of `inputs` changes, and after a failure as soon as
 * the service responds. A late response never replaces a newer one. */
export function useLoad<Result>(load: () => Promise<Result>, inputs: readonly unknown[]): Load<Result> {
  const state: Signal<Omit<Load<Result>, "reload">> = useSignal({ data: undefined, error: undefined, isLoading: true });
  const latest = useRef(0);
  const reload = useCallback(() => {
    const turn = ++latest.current;
    state.value = { ...state.peek(), isLoading: true };
    const settle = (outcome: Pick<Load<Result>, "error"> & { data?: Result }): void => {
      if (turn === latest.current) state.value = { ...state.peek(), ...outcome, isLoading: false };
    };
    load().then(
      (data) => settle({ data, error: undefined }),
      (error: Error) => settle({ error }),
    );
    // The inputs are the dependencies of `load`.
  }, inputs);
  useLayoutEffect(() => {
    reload();
    return () => {
      latest.current++;
    };
  }, [reload]);
  useLayoutEffect(() => {
    if (state.peek().error) reload();
  }, [recoveries.value]);
  return { ...state.value, reload };
}
