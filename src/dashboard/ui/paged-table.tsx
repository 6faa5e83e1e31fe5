import type { ComponentChildren } from "preact";
import type { AnswerOf, QueryOf } from "../../wire/control/types.ts";
import { control } from "../api/client.ts";
import { useLoad } from "../api/use-load.ts";
import { location, refine } from "../router.ts";
import { Button } from "./button.tsx";
import { Placeholder, Problem } from "./parts.tsx";
import { Table, type TableProps } from "./table.tsx";
import { counted, countText } from "./text.ts";

const PAGE_SIZE = 50;

/**
 * A list of the API, one page at a time by the API's cursor, which costs the same for ten rows and a million. The cursors of
 * the pages so far are in the address, so that going back to it shows the same page.
 */
export function PagedTable<Route extends "GET /users" | "GET /sessions">(
  props: Omit<TableProps<AnswerOf<Route>[number]>, "rows"> & {
    route: Route;
    query: NonNullable<QueryOf<"GET /users/count">>;
    empty: ComponentChildren;
  },
) {
  const { route, query, empty, ...table } = props;
  const cursors = location.value.query["after"]?.split(" ") ?? [];
  const after = cursors.at(-1);
  const text = JSON.stringify(query);
  const read = () => control.page<Route>(route, { query: { ...query, limit: PAGE_SIZE, after } as QueryOf<Route> });
  const { data, error, isLoading, reload } = useLoad(read, [route, text, after]);
  const total = useLoad(() => control.request(`${route}/count` as "GET /users/count", { query }), [route, text]);
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Placeholder lines={8} />;
  const { rows, next } = data;
  if (rows.length === 0 && after === undefined) return <>{empty}</>;
  const turnTo = (page: readonly string[]): void => {
    refine({ after: page.join(" ") });
    globalThis.scrollTo({ top: 0 });
  };
  const first = cursors.length * PAGE_SIZE + 1;
  const noun = route === "GET /users" ? "user" : "session";
  const hasPages = next !== undefined || after !== undefined;
  const all = total.data ? ` of ${countText(total.data)}` : "";
  return (
    <div class={isLoading ? "stale" : ""}>
      <Table<AnswerOf<Route>[number]> {...table} rows={rows} />
      <nav class="pages" aria-label="Pages">
        <span class="muted" role="status" data-testid="page-info">
          {hasPages
            ? `${first.toLocaleString("en")}–${(first + rows.length - 1).toLocaleString("en")}${all} ${noun}s`
            : counted(rows.length, noun)}
        </span>
        {hasPages && (
          <div class="actions">
            <Button small disabled={after === undefined} onClick={() => turnTo(cursors.slice(0, -1))}>
              Previous
            </Button>
            <Button
              small
              disabled={next === undefined}
              testId="next-page"
              onClick={() => next !== undefined && turnTo([...cursors, next])}
            >
              Next
            </Button>
          </div>
        )}
      </nav>
    </div>
  );
}
