import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ServerEvent } from "../../control-client/index.ts";
import { control } from "../api/client.ts";
import { connected, onEvent } from "../api/stream.ts";
import { useLoad } from "../api/use-load.ts";

interface LiveRow {
  readonly id: string;
}

export interface LiveList<Row> {
  /** Undefined until they are loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly error: Error | undefined;
  reload(): void;
  /** The number of rows that arrived while someone was reading, or arrive faster than one can read. */
  readonly waiting: number;
  resume(): void;
  /** Adds the next page at the end; undefined if there is none. */
  readonly showOlder: (() => Promise<void>) | undefined;
}

const PAGE_SIZE = 100;
const KEPT = 200;
/** Events of this time are shown at once, so that twenty sign-ins a second cost four renderings. */
const BATCH_MS = 250;
/** More new rows a second are faster than one can read. */
const READABLE = 3;
const SECOND = 1000;

/**
 * The newest records of a list of the API, with new ones on top. Nothing moves while someone is reading (has scrolled down,
 * or has the pointer or the focus on a row): new rows wait until `resume`, and visible rows change in place. While more
 * arrive than one can read, they wait until there are fewer.
 * @param latest how many rows a view without `resume` shows; those that had to wait appear by themselves
 */
export function useLiveList<Kind extends ServerEvent["resource"]>(
  kind: Kind,
  query: Readonly<Record<string, string | undefined>>,
  isMatch: (row: Extract<ServerEvent, { resource: Kind }>) => boolean,
  latest?: number,
): LiveList<Extract<ServerEvent, { resource: Kind }>> {
  type Row = Extract<ServerEvent, { resource: Kind }>;
  const readPage = async (after?: string): Promise<{ rows: Row[]; next: string | undefined }> => {
    const route = `GET /${kind}s` as "GET /flows" | "GET /requests";
    const { rows: read, next } = await control.page(route, { query: { ...query, limit: latest ?? PAGE_SIZE, after } });
    return { rows: read as ServerEvent[] as Row[], next };
  };
  const text = JSON.stringify(query);
  const rows = useSignal<readonly Row[] | undefined>(undefined);
  const waiting = useSignal<readonly Row[]>([]);
  const hasOlder = useSignal(false);
  /** Whether rows came while someone was reading: they wait until `resume`. */
  const isPaused = useRef(false);
  // Events since the last request, whose response may lack them.
  const sinceLoad = useRef(new Map<string, Row>());
  const load = useLoad(async () => {
    await connected();
    sinceLoad.current.clear();
    return readPage();
  }, [kind, text]);
  const show = (all: readonly Row[]): void => {
    const limit = Math.max(KEPT, rows.peek()?.length ?? 0);
    rows.value = all.slice(0, limit);
    if (all.length > limit) hasOlder.value = true;
  };
  useLayoutEffect(() => {
    if (!load.data) return;
    const { rows: loaded, next } = load.data;
    rows.value = [...newRows(sinceLoad.current, loaded, isMatch), ...replaced(loaded, sinceLoad.current)];
    waiting.value = [];
    isPaused.current = false;
    hasOlder.value = next !== undefined;
  }, [load.data]);
  useLayoutEffect(() => {
    const isReadable = rateCounter();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = -Infinity;
    let lastShown = -Infinity;
    const schedule = (): void => {
      timer ??= setTimeout(apply, Math.max(0, last + BATCH_MS - performance.now()));
    };
    const apply = (): void => {
      timer = undefined;
      last = performance.now();
      if (!rows.peek()) return;
      const shown = replaced(rows.peek()!, sinceLoad.current);
      const held = replaced(waiting.peek(), sinceLoad.current);
      const fresh = newRows(sinceLoad.current, [...shown, ...held], isMatch);
      const all = fresh.length > 0 ? [...fresh, ...held] : held;
      const isFast = !isReadable(fresh.length, last);
      if (latest === undefined && all.length > 0 && (globalThis.scrollY > 24 || isAtRow())) isPaused.current = true;
      const mustWait =
        latest === undefined ? isPaused.current || isFast : isAtRow() || (isFast && last < lastShown + SECOND);
      if (mustWait || all.length === 0) {
        rows.value = shown;
        waiting.value = all.slice(0, KEPT);
        if (all.length > 0 && !isPaused.current) schedule();
      } else {
        lastShown = last;
        waiting.value = [];
        show([...all, ...shown]);
      }
    };
    const stop = onEvent((event) => {
      if (event.resource !== kind) return;
      put(sinceLoad.current, event as Row);
      schedule();
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [kind, text]);
  const resume = (): void => {
    show([...waiting.peek(), ...(rows.peek() ?? [])]);
    waiting.value = [];
    isPaused.current = false;
    globalThis.scrollTo({ top: 0 });
  };
  const showOlder = async (): Promise<void> => {
    const { rows: older, next } = await readPage(rows.peek()?.at(-1)?.id);
    const newer = rows.peek() ?? [];
    const known = idsOf(newer);
    const all = [...newer, ...older.filter(({ id }) => !known.has(id))];
    rows.value = all;
    hasOlder.value = next !== undefined;
  };
  return {
    rows: load.data && rows.value?.slice(0, latest),
    error: load.error,
    reload: load.reload,
    waiting: waiting.value.length,
    resume,
    showOlder: hasOlder.value ? showOlder : undefined,
  };
}

/** Whether someone has the pointer or the focus on a row: then none may move. */
function isAtRow(): boolean {
  return (
    document.activeElement?.closest("tbody tr") != null ||
    // A finger leaves nothing behind that it could be over.
    (matchMedia("(hover: hover)").matches &&
      document.querySelector("main :is(tbody tr, li, .waiting *):hover") !== null)
  );
}

/** Adds the latest state of a row, at the end. What was not shown for long, as in a hidden tab, is dropped. */
function put<Row extends LiveRow>(rows: Map<string, Row>, row: Row): void {
  rows.set(row.id, row);
  if (rows.size > KEPT) rows.delete(rows.keys().next().value!);
}

/** The rows in their latest state. The same array if none has changed. */
function replaced<Row extends LiveRow>(rows: readonly Row[], changes: ReadonlyMap<string, Row>): readonly Row[] {
  const latest = rows.map((row) => changes.get(row.id) ?? row);
  return latest.some((row, n) => row !== rows[n]) ? latest : rows;
}

/** Those that match and are not known yet, newest first. */
function newRows<Row extends LiveRow>(
  changes: ReadonlyMap<string, Row>,
  known: readonly Row[],
  isMatch: (row: Row) => boolean,
): Row[] {
  const ids = idsOf(known);
  return [...changes.values()].filter((row) => !ids.has(row.id) && isMatch(row)).toReversed();
}

function idsOf(rows: readonly LiveRow[]): ReadonlySet<string> {
  return new Set(rows.map(({ id }) => id));
}

/** Adds new rows to those of the last second. False if there are more than one can read. */
function rateCounter(): (count: number, now: number) => boolean {
  let recent: { count: number; at: number }[] = [];
  return (count, now) => {
    recent = [...recent.filter(({ at }) => at > now - SECOND), { count, at: now }];
    return recent.reduce((sum, each) => sum + each.count, 0) <= READABLE;
  };
}
