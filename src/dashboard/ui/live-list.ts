import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ServerEvent } from "../../control-client/index.ts";
import { control } from "../api/client.ts";
import { connected, onEvent } from "../api/stream.ts";
import { useLoad } from "../api/use-load.ts";

export interface LiveList<Row> {
  /** Undefined until they are loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly error: Error | undefined;
  reload(): void;
  /** How many rows arrived while someone was reading. */
  readonly waiting: number;
  /** Shows them. */
  resume(): void;
  /** Adds the next page at the end; undefined if there is none. */
  readonly showOlder: (() => Promise<void>) | undefined;
}

/** A live list stays at a page: the browser lays all rows out anew for each batch. */
const PAGE_SIZE = 50;
const MOST_WAITING = 200;
/** Events of this time are shown at once. */
const BATCH_MS = 500;
/** While events follow each other, a second, so that twenty sign-ins cost one rendering. */
const BUSY_MS = 1000;

/**
 * The newest records of a list of the API, with new ones on top. While someone reads, scrolled down or with the pointer or the
 * focus on a row, new rows wait, and those that are shown change in place.
 * @param latest how many rows a view without `resume` shows; there they wait only for the pointer and the focus
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
  /** Events since the last request, whose response may lack them. */
  const recent = useRef(new Map<string, Row>());
  const load = useLoad(async () => {
    await connected();
    recent.current.clear();
    return readPage();
  }, [kind, text]);

  /** @param shown rows, newest first, in the state that they had */
  const withRecent = (shown: readonly Row[]): { fresh: Row[]; rows: Row[] } => {
    const ids = new Set(shown.map(({ id }) => id));
    const fresh = [...recent.current.values()].filter((row) => !ids.has(row.id) && isMatch(row)).toReversed();
    return { fresh, rows: shown.map((row) => recent.current.get(row.id) ?? row) };
  };
  const show = (all: readonly Row[]): void => {
    rows.value = all.slice(0, PAGE_SIZE);
    if (all.length > PAGE_SIZE) hasOlder.value = true;
    waiting.value = [];
  };
  useLayoutEffect(() => {
    if (!load.data) return;
    const { fresh, rows: loaded } = withRecent(load.data.rows);
    rows.value = [...fresh, ...loaded];
    waiting.value = [];
    hasOlder.value = load.data.next !== undefined;
  }, [load.data]);
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = -Infinity;
    const apply = (): void => {
      timer = undefined;
      last = performance.now();
      if (!rows.peek()) return;
      const { fresh, rows: shown } = withRecent(rows.peek()!);
      if (isAtRow() || (latest === undefined && (globalThis.scrollY > 24 || waiting.peek().length > 0))) {
        rows.value = shown;
        waiting.value = fresh.slice(0, MOST_WAITING);
        if (latest !== undefined && fresh.length > 0) timer = setTimeout(apply, BATCH_MS);
      } else show([...fresh, ...shown]);
    };
    const stop = onEvent((event) => {
      if (event.resource !== kind) return;
      const { current } = recent;
      current.set(event.id, event as Row);
      // What was not shown for long is dropped.
      if (current.size > MOST_WAITING) current.delete(current.keys().next().value!);
      timer ??= setTimeout(apply, Math.max(BATCH_MS, last + BUSY_MS - performance.now()));
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [kind, text]);
  const resume = (): void => {
    show([...waiting.peek(), ...(rows.peek() ?? [])]);
    globalThis.scrollTo({ top: 0 });
  };
  const showOlder = async (): Promise<void> => {
    const { rows: older, next } = await readPage(rows.peek()?.at(-1)?.id);
    const newer = rows.peek() ?? [];
    const known = new Set(newer.map(({ id }) => id));
    rows.value = [...newer, ...older.filter(({ id }) => !known.has(id))];
    hasOlder.value = next !== undefined;
  };
  return {
    rows: load.data && rows.value?.slice(0, latest),
    error: load.error,
    reload: load.reload,
    waiting: latest === undefined ? waiting.value.length : 0,
    resume,
    showOlder: hasOlder.value ? showOlder : undefined,
  };
}

/** Whether someone has the pointer or the focus on a row: then none may move. */
function isAtRow(): boolean {
  return (
    document.activeElement?.closest("tbody tr") != null ||
    // A finger leaves nothing behind that it could be over.
    (matchMedia("(hover: hover)").matches && document.querySelector("tbody tr:hover, .waiting :hover") !== null)
  );
}
