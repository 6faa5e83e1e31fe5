import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { onEvent, streamStatus, type ServerEvent } from "../api/stream.ts";

export interface LiveRow {
  readonly id: string;
}

export interface LiveList<Row> {
  readonly rows: readonly Row[];
  /** How many arrived while somebody was reading. */
  readonly waiting: number;
  /** Shows what arrived. */
  resume(): void;
}

const KEPT = 200;

/**
 * A list whose news come on top. While somebody reads (has scrolled down, or stands on a row) nothing moves: new rows wait
 * until `resume`; changes of rows that are shown take effect in their place.
 */
export function useLiveList<Row extends LiveRow>(
  initial: readonly Row[] | undefined,
  matches: (event: ServerEvent) => Row | undefined,
  inputs: readonly unknown[],
): LiveList<Row> {
  const rows = useSignal<readonly Row[]>([]);
  const waiting = useSignal<readonly Row[]>([]);
  useLayoutEffect(() => {
    rows.value = initial ?? [];
    waiting.value = [];
  }, [initial]);
  useLayoutEffect(
    () =>
      onEvent((event) => {
        const row = matches(event);
        if (!row) return;
        const isShown = rows.peek().some(({ id }) => id === row.id);
        if (isShown) rows.value = replace(rows.peek(), row);
        else if (isReading()) waiting.value = [row, ...without(waiting.peek(), row)].slice(0, KEPT);
        else rows.value = [row, ...rows.peek()].slice(0, KEPT);
      }),
    inputs,
  );
  const resume = (): void => {
    rows.value = [...waiting.peek(), ...rows.peek()].slice(0, KEPT);
    waiting.value = [];
    globalThis.scrollTo({ top: 0 });
  };
  return { rows: rows.value, waiting: waiting.value.length, resume };
}

/** Counts the reconnections, so that a view loads again what it may have missed. */
export function useReconnections(): number {
  const count = useSignal(0);
  const { value } = streamStatus;
  useEffect(() => {
    if (value === "live") count.value++;
  }, [value]);
  return count.value;
}

function isReading(): boolean {
  return globalThis.scrollY > 24 || document.activeElement?.closest("tbody tr") != null;
}

function replace<Row extends LiveRow>(rows: readonly Row[], row: Row): Row[] {
  return rows.map((one) => (one.id === row.id ? row : one));
}

function without<Row extends LiveRow>(rows: readonly Row[], row: Row): Row[] {
  return rows.filter(({ id }) => id !== row.id);
}
