import { useSignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { AnswerOf, QueryOf } from "../../wire/control/routes.ts";
import { ControlError } from "../../control-client/index.ts";
import { control } from "../api/client.ts";
import { useLoad } from "../api/use-load.ts";
import { Button } from "./button.tsx";
import { Placeholder, Problem } from "./parts.tsx";
import { isReturning, Table, type TableProps } from "./table.tsx";

const PAGE_SIZE = 50;

type Cursors = readonly (string | undefined)[];

/** The last page that was shown of each list. */
const left = new Map<string, Cursors>();

/** A list of the API, one page at a time by the API's cursor, which costs the same for ten rows and a million. */
export function PagedTable<Route extends "GET /users" | "GET /sessions">({
  route,
  query,
  empty,
  onRefusal,
  reloadKey,
  ...table
}: Omit<TableProps<AnswerOf<Route>[number]>, "rows"> & {
  route: Route;
  query: NonNullable<QueryOf<"GET /users">>;
  empty: ComponentChildren;
  /** Shows beside the search why it was refused. Without it, and for every other error, the error replaces the table. */
  onRefusal?: (error: Error | undefined) => void;
  /** The list is loaded again when this changes. */
  reloadKey?: unknown;
}): VNode {
  // The cursors of the previous pages.
  const text = JSON.stringify(query);
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
    const page = await control.page<Route>(route, { query: { ...query, limit: PAGE_SIZE, after } as QueryOf<Route> });
    return { ...page, key };
  }, [key, after, reloadKey]);
  const refusal = error instanceof ControlError && error.status === 400 ? error : undefined;
  useEffect(() => onRefusal?.(refusal), [refusal]);
  if (error && !(onRefusal && refusal)) return <Problem error={error} onRetry={reload} />;
  // Rows of the previous search don't answer this one, which failed.
  if (error && data?.key !== key) return <></>;
  if (!data) return <Placeholder lines={8} />;
  const { rows, next } = data;
  if (rows.length === 0 && after === undefined) return <>{empty}</>;
  const turnTo = (page: Cursors): void => {
    cursors.value = page;
    globalThis.scrollTo({ top: 0 });
  };
  const number = cursors.value.length;
  const hasPages = number > 1 || next !== undefined;
  const noun = table.label.toLowerCase();
  return (
    <div class={isLoading ? "stale" : ""}>
      <Table {...table} rows={rows as readonly AnswerOf<Route>[number][]} />
      <nav class="pages" aria-label="Pages">
        <span class="muted" role="status" data-testid="page-info">
          {hasPages && `Page ${number} · `}
          {rows.length} {rows.length === 1 ? noun.slice(0, -1) : noun}
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
