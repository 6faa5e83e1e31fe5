import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { classOf, opened, setSelected, TableRow, type Column, type Selection, type TableRecord } from "./table-row.tsx";

export interface Sorting {
  readonly title: string;
  readonly isDescending: boolean;
}

export interface TableProps<Row extends TableRecord> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** The buttons of a row, in a column of their own. */
  readonly buttonsOf?: (row: Row) => ComponentChildren;
  readonly rows: readonly Row[];
  /** The address that a row opens. */
  readonly linkOf?: ((row: Row) => string) | undefined;
  readonly toneOf?: (row: Row) => "bad" | undefined;
  /** Has a box for each row, and one for all. */
  readonly selection?: Selection;
  readonly sorting?: Sorting | undefined;
  /** Whether it has few columns, which never stack. */
  readonly isShort?: boolean | undefined;
  /** Called with a column's title. Without it, the rows can't be sorted. */
  readonly onSort?: (title: string) => void;
}

/** Whether the user comes back from a row of this table. */
export function isReturning(label: string): boolean {
  return opened.has(label);
}

/** A table whose rows can be selected with the arrow keys and opened with Enter. In a narrow window the cells of a row stack. */
export function Table<Row extends TableRecord>(props: TableProps<Row>) {
  const { label, rows, linkOf, toneOf, buttonsOf, selection, sorting, isShort, onSort } = props;
  const cell = (row: Row): ComponentChildren => <div class="row">{buttonsOf?.(row)}</div>;
  const columns = buttonsOf ? [...props.columns, { title: "Action", align: "end", cell } as const] : props.columns;
  const ids = rows.map(({ id }) => id);
  const body = useRef<HTMLTableSectionElement>(null);
  const isFilled = rows.length > 0;
  useLayoutEffect(() => {
    const last = opened.get(label);
    if (!isFilled || last === undefined) return;
    opened.delete(label);
    const all = [...body.current!.children] as HTMLElement[];
    // A row that was deleted is followed by another in its place.
    (all.find(({ dataset }) => dataset["id"] === last.id) ?? all[Math.min(last.index, all.length - 1)])?.focus();
  }, [label, isFilled]);
  // Roles are named because `display` takes them from a table that is stacked.
  return (
    <div class={`table-scroll${isShort ? " short" : ""}`}>
      <table role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {selection && (
              <th role="columnheader" scope="col" class="select">
                <input
                  type="checkbox"
                  aria-label="Select all rows of this page"
                  checked={isFilled && ids.every((id) => selection.value.has(id))}
                  onChange={({ currentTarget }) => setSelected(selection, ids, currentTarget.checked)}
                />
              </th>
            )}
            {columns.map(({ title, sortBy, ...column }) => (
              <th
                key={title}
                role="columnheader"
                scope="col"
                class={classOf(column)}
                aria-sort={sorting?.title === title ? (sorting.isDescending ? "descending" : "ascending") : undefined}
              >
                {onSort && sortBy ? (
                  <button type="button" class="sort" onClick={() => onSort(title)}>
                    {title}
                  </button>
                ) : (
                  title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} role="rowgroup">
          {rows.map((row, index) => (
            <TableRow<Row>
              key={ids[index]}
              row={row}
              columns={columns}
              table={label}
              address={linkOf?.(row)}
              tone={toneOf?.(row)}
              isFirst={index === 0}
              selection={selection}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
