import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { AnswerOf, QueryOf } from "../../wire/control/types.ts";
import { control } from "../api/client.ts";
import { useLoad } from "../api/use-load.ts";
import { location, refine } from "../router.ts";
import { Button } from "./button.tsx";
import { Placeholder, Problem } from "./parts.tsx";
import { isReturning, Table, type Sorting, type TableProps } from "./table.tsx";
import type { Column, TableRecord } from "./table-row.tsx";
import { countText } from "./text.ts";

const PAGE_SIZE = 50;
/** More rows are not read for the sake of their order: the API has them in one. */
const MAX_SORTED = 1000;

type Cursors = readonly (string | undefined)[];

const left = new Map<string, Cursors>();

/** A list of the API, one page at a time by the API's cursor, which costs the same for ten rows and a million. */
export function PagedTable<Route extends "GET /users" | "GET /sessions">(
  props: Omit<TableProps<AnswerOf<Route>[number]>, "rows" | "sorting" | "onSort"> & {
    route: Route;
    query: NonNullable<QueryOf<"GET /users/count">>;
    empty: ComponentChildren;
  },
) {
  const { route, query, empty, ...table } = props;
  type Row = AnswerOf<Route>[number];
  const sorting = sortingIn(location.value.query["sort"]);
  // The cursors of the previous pages.
  const text = JSON.stringify([query, sorting]);
  const key = `${route} ${text}`;
  const cursors = useSignal<Cursors>((isReturning(table.label) && left.get(key)) || [undefined]);
  const shown = useRef(key);
  if (shown.current !== key) {
    shown.current = key;
    cursors.value = [undefined];
  }
  left.set(key, cursors.value);
  const after = cursors.value.at(-1);
  const { data, error, isLoading, reload } = useLoad(async () => {
    const read = (limit: number, cursor?: string) =>
      control.page<Route>(route, { query: { ...query, limit, after: cursor } as QueryOf<Route> });
    const compare = orderOf<Row>(table.columns, sorting);
    const all = compare && (await read(MAX_SORTED));
    if (!compare || !all || all.next !== undefined)
      return { ...(await read(PAGE_SIZE, after)), isUnsorted: compare !== undefined };
    const end = Number(after ?? 0) + PAGE_SIZE;
    const rows = all.rows.toSorted(compare).slice(end - PAGE_SIZE, end);
    return { rows, next: all.rows.length > end ? String(end) : undefined, isUnsorted: false };
  }, [key, after]);
  const total = useLoad(
    () => control.request(`${route}/count` as "GET /users/count", { query }),
    [route, JSON.stringify(query)],
  );
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Placeholder lines={8} />;
  const { next, isUnsorted } = data;
  const rows = data.rows as readonly Row[];
  if (rows.length === 0 && after === undefined) return <>{empty}</>;
  const turnTo = (page: Cursors): void => {
    cursors.value = page;
    globalThis.scrollTo({ top: 0 });
  };
  const sortBy = (title: string): void => {
    const isSame = sorting?.title === title;
    refine({ sort: isSame ? (sorting.isDescending ? undefined : `-${title}`) : title });
  };
  const number = cursors.value.length;
  const hasPages = number > 1 || next !== undefined;
  const noun = table.label.toLowerCase();
  return (
    <div class={isLoading ? "stale" : ""}>
      <Table<Row> {...table} rows={rows} sorting={isUnsorted ? undefined : sorting} onSort={sortBy} />
      <nav class="pages" aria-label="Pages">
        <span class="muted" role="status" data-testid="page-info">
          {hasPages && `Page ${number} · `}
          {hasPages && total.data ? `${rows.length} of ${countText(total.data)}` : rows.length}{" "}
          {rows.length === 1 && !hasPages ? noun.slice(0, -1) : noun}
          {isUnsorted && ` · Not sorted: search for ${MAX_SORTED.toLocaleString("en")} or fewer first`}
        </span>
        {hasPages && (
          <div class="actions">
            <Button small disabled={number === 1} onClick={() => turnTo(cursors.value.slice(0, -1))}>
              Previous
            </Button>
            <Button
              small
              disabled={next === undefined}
              testId="next-page"
              onClick={() => turnTo([...cursors.value, next])}
            >
              Next
            </Button>
          </div>
        )}
      </nav>
    </div>
  );
}

/** In the address, `sort=-Created` is the latest first. */
function sortingIn(text: string | undefined): Sorting | undefined {
  if (!text) return undefined;
  return { title: text.replace(/^-/, ""), isDescending: text.startsWith("-") };
}

function orderOf<Row extends TableRecord>(columns: readonly Column<Row>[], sorting: Sorting | undefined) {
  const field = columns.find(({ title }) => title === sorting?.title)?.sortBy;
  if (field === undefined) return undefined;
  const sign = sorting?.isDescending ? -1 : 1;
  const textOf = (row: Row): string => String((row.data as Row["data"])[field]);
  return (a: Row, b: Row): number => sign * textOf(a).localeCompare(textOf(b), undefined, { numeric: true });
}
