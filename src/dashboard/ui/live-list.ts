import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ServerEvent } from "../../control-client/index.ts";
import { control } from "../api/client.ts";
import { onEvent, streamStatus } from "../api/stream.ts";
import { useLoad } from "../api/use-load.ts";

interface LiveRow {
  readonly id: string;
}

export interface LiveList<Row> {
  readonly rows: readonly Row[];
  readonly isLoaded: boolean;
  readonly error: Error | undefined;
  reload(): void;
  /** The number of rows that arrived while someone was reading. */
  readonly waiting: number;
  /** Shows the rows that arrived. */
  resume(): void;
  /** Adds the next page at the end; undefined if there is none. */
  readonly showOlder: (() => Promise<void>) | undefined;
}

const PAGE_SIZE = 100;
const KEPT = 200;

interface LiveListOptions {
  /** The size of a page. */
  readonly limit?: number;
  /** Whether new rows appear at once, also while someone is reading. For a view that does not offer `resume`. */
  readonly isImmediate?: boolean;
}

/**
 * The newest records of a list of the API, with new ones on top. While someone is reading (has scrolled down, or has the
 * focus on a row) nothing moves: new rows wait until `resume`, and visible rows change in place.
 */
export function useLiveList<Kind extends ServerEvent["resource"]>(
  kind: Kind,
  query: Readonly<Record<string, string | undefined>>,
  isMatch: (row: Extract<ServerEvent, { resource: Kind }>) => boolean,
  { limit: pageSize = PAGE_SIZE, isImmediate = false }: LiveListOptions = {},
): LiveList<Extract<ServerEvent, { resource: Kind }>> {
  type Row = Extract<ServerEvent, { resource: Kind }>;
  const readPage = async (after?: string): Promise<{ rows: Row[]; next: string | undefined }> => {
    const asked = { ...query, limit: pageSize, after };
    const { rows: read, next } = await control.page(`GET /${kind}s` as "GET /flows" | "GET /requests", {
      query: asked,
    });
    return { rows: read as ServerEvent[] as Row[], next };
  };
  const text = JSON.stringify(query);
  const rows = useSignal<readonly Row[]>([]);
  const waiting = useSignal<readonly Row[]>([]);
  const hasOlder = useSignal(false);
  const isLoaded = useSignal(false);
  const limit = useRef(KEPT);
  const loadedFor = useRef("");
  // Events during the request may be missing from its response.
  const arrived = useRef<Row[]>([]);
  const load = useLoad(() => {
    arrived.current = [];
    return readPage();
  }, [kind, text, useConnections()]);
  useLayoutEffect(() => {
    if (!load.data) return;
    const { rows: loaded, next } = load.data;
    const later = arrived.current.filter((row) => isMatch(row) || has(loaded, row));
    rows.value = later.reduceRight<readonly Row[]>(
      (all, row) => (has(all, row) ? replace(all, row) : [row, ...all]),
      loaded,
    );
    waiting.value = [];
    hasOlder.value = next !== undefined;
    limit.current = KEPT;
    isLoaded.value = true;
    loadedFor.current = text;
  }, [load.data]);
  useLayoutEffect(
    () =>
      onEvent((event) => {
        if (event.resource !== kind) return;
        const row = event as Row;
        arrived.current = [row, ...without(arrived.current, row)].slice(0, KEPT);
        if (has(rows.peek(), row)) rows.value = replace(rows.peek(), row);
        else if (!isMatch(row)) return;
        else if (!isImmediate && isReading()) waiting.value = [row, ...without(waiting.peek(), row)].slice(0, KEPT);
        else show([row, ...rows.peek()]);
      }),
    [kind, text],
  );
  const show = (all: readonly Row[]): void => {
    rows.value = all.slice(0, limit.current);
    if (all.length > limit.current) hasOlder.value = true;
  };
  const resume = (): void => {
    show([...waiting.peek(), ...rows.peek()]);
    waiting.value = [];
    globalThis.scrollTo({ top: 0 });
  };
  const showOlder = async (): Promise<void> => {
    const { rows: older, next } = await readPage(rows.peek().at(-1)?.id);
    rows.value = [...rows.peek(), ...older.filter((row) => !has(rows.peek(), row))];
    hasOlder.value = next !== undefined;
    limit.current = Math.max(KEPT, rows.peek().length);
  };
  // Rows for other filters don't answer these, which failed.
  const isOther = load.error !== undefined && loadedFor.current !== text;
  return {
    rows: isOther ? [] : rows.value,
    isLoaded: isLoaded.value && !isOther,
    error: load.error,
    reload: load.reload,
    waiting: waiting.value.length,
    resume,
    showOlder: hasOlder.value ? showOlder : undefined,
  };
}

/** Counts the connections, so that a view reloads what it may have missed. */
function useConnections(): number {
  const count = useRef(0);
  const before = useRef(streamStatus.value);
  if (streamStatus.value === "live" && before.current !== "live") count.current++;
  before.current = streamStatus.value;
  return count.current;
}

function isReading(): boolean {
  return globalThis.scrollY > 24 || document.activeElement?.closest("tbody tr") != null;
}

function has<Row extends LiveRow>(rows: readonly Row[], row: Row): boolean {
  return rows.some(({ id }) => id === row.id);
}

function replace<Row extends LiveRow>(rows: readonly Row[], row: Row): Row[] {
  return rows.map((one) => (one.id === row.id ? row : one));
}

function without<Row extends LiveRow>(rows: readonly Row[], row: Row): Row[] {
  return rows.filter(({ id }) => id !== row.id);
}
