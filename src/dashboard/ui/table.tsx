import { Component, type ComponentChildren, type VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { goTo } from "../router.ts";
import { useSlide } from "./slide.ts";
import { setSelected, type Selection } from "./selection.tsx";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Whether rows can be told apart without it. It is hidden where the cells have little room and do not stack. */
  readonly isExtra?: boolean;
  /** The column shares the width that the others leave, and cuts its text with an ellipsis. */
  readonly fill?: "always";
  readonly align?: "end";
  /** What the rows can be sorted by. */
  readonly sortBy?: (row: Row) => string;
}

/** By which column the rows are sorted. */
export interface Sorting {
  readonly title: string;
  readonly isDescending: boolean;
}

export interface TableProps<Row> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** The address that a row opens. */
  readonly linkOf?: (row: Row) => string;
  readonly toneOf?: (row: Row) => "bad" | undefined;
  /** Has a box for each row, and one for all. */
  readonly selection?: Selection;
  readonly sorting?: Sorting | undefined;
  /** Whether it has few columns, which never stack. */
  readonly isShort?: boolean;
  /** Called with a column's title. Without it, the rows can't be sorted. */
  readonly onSort?: (title: string) => void;
}

/** The row that was opened last, by the table's label. Going back returns to it. */
const opened = new Map<string, { readonly id: string; readonly index: number }>();

/** Whether the user comes back from a row of this table. */
export function isReturning(label: string): boolean {
  return opened.has(label);
}

/** A table whose rows can be selected with the arrow keys and opened with Enter. In a narrow window the cells of a row stack. */
export function Table<Row>(props: TableProps<Row>): VNode {
  const { label, columns, rows, idOf, linkOf, toneOf, selection, sorting, isShort, onSort } = props;
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
  useSlide(body, rows.length > 0 ? idOf(rows[0]!) : undefined);
  // Roles are named because `display` takes them from a table that is stacked.
  return (
    <div class={`table-scroll${isShort ? " short" : ""}`}>
      <table role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {selection && <SelectAll selection={selection} ids={rows.map(idOf)} />}
            {columns.map((column) => (
              <th
                key={column.title}
                role="columnheader"
                scope="col"
                class={classOf(column)}
                aria-sort={
                  sorting?.title === column.title ? (sorting.isDescending ? "descending" : "ascending") : undefined
                }
              >
                {onSort && column.sortBy ? (
                  <button type="button" class="sort" onClick={() => onSort(column.title)}>
                    {column.title}
                  </button>
                ) : (
                  column.title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} role="rowgroup">
          {rows.map((row, index) => (
            <TableRow<Row>
              key={idOf(row)}
              id={idOf(row)}
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

interface TableRowProps<Row> {
  readonly id: string;
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  /** The table's label. */
  readonly table: string;
  readonly address: string | undefined;
  readonly tone: "bad" | undefined;
  readonly isFirst: boolean;
  readonly selection: Selection | undefined;
}

/** Drawn again only when its record changes, or a signal that it shows: a live list has 200 of them. */
class TableRow<Row> extends Component<TableRowProps<Row>> {
  override shouldComponentUpdate(next: TableRowProps<Row>): boolean {
    return (Object.keys(next) as (keyof TableRowProps<Row>)[]).some((name) => next[name] !== this.props[name]);
  }

  override render(): VNode {
    return <Cells<Row> {...this.props} />;
  }
}

function Cells<Row>({ id, row, columns, table, address, tone, isFirst, selection }: TableRowProps<Row>): VNode {
  const open = (currentTarget: HTMLElement): void => {
    if (address === undefined) return;
    opened.set(table, { id, index: [...(currentTarget.parentElement?.children ?? [])].indexOf(currentTarget) });
    goTo(address);
  };
  return (
    <tr
      role="row"
      data-id={id}
      data-testid="row"
      class={`${address === undefined ? "" : "link"} ${tone ?? ""}`}
      tabIndex={address !== undefined && isFirst ? 0 : -1}
      onClick={(event) => {
        if (!opensRow(event)) return;
        event.preventDefault();
        open(event.currentTarget);
      }}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        if (event.key === "Enter") open(event.currentTarget);
        else if (event.key === " " && selection) {
          event.preventDefault();
          setSelected(selection, [id], !selection.peek().has(id));
        } else if (move(event.currentTarget, event.key)) event.preventDefault();
      }}
    >
      {selection && (
        <td role="cell" class="select">
          <input
            type="checkbox"
            aria-label="Select this row"
            tabIndex={-1}
            checked={selection.value.has(id)}
            onChange={({ currentTarget }) => setSelected(selection, [id], currentTarget.checked)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.title} role="cell" data-label={column.title} class={classOf(column)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

function SelectAll({ selection, ids }: { selection: Selection; ids: readonly string[] }): VNode {
  const isAll = ids.length > 0 && ids.every((id) => selection.value.has(id));
  return (
    <th role="columnheader" scope="col" class="select">
      <input
        type="checkbox"
        aria-label="Select all rows of this page"
        checked={isAll}
        onChange={({ currentTarget }) => setSelected(selection, ids, currentTarget.checked)}
      />
    </th>
  );
}

/** Moves the focus between rows, only from a row: elsewhere the arrow keys still scroll. */
function move(row: HTMLTableRowElement, key: string): boolean {
  const siblings = row.parentElement!.children;
  const target = {
    ArrowDown: row.nextElementSibling,
    ArrowUp: row.previousElementSibling,
    Home: siblings[0],
    End: siblings[siblings.length - 1],
  }[key];
  if (!(target instanceof HTMLElement)) return key === "ArrowDown" || key === "ArrowUp";
  target.focus();
  return true;
}

/**
 * The link of a row, for the mouse and screen readers: it can be opened in another tab. The Tab key stops at the row
 * itself.
 */
export function RowLink({ address, children }: { address: string; children: ComponentChildren }): VNode {
  return (
    <a class="row-link" href={address} tabIndex={-1}>
      {children}
    </a>
  );
}

/** A click on another control in the row, a selection of text, and a link opened in another tab leave the row closed. */
function opensRow({ target, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  const control = target instanceof Element ? target.closest("a, button, input, select, label") : null;
  if (control) return control.classList.contains("row-link") && !(ctrlKey || metaKey || shiftKey || altKey);
  return !getSelection()?.toString();
}

function classOf({ isExtra, align, fill }: Pick<Column<never>, "isExtra" | "align" | "fill">): string {
  return [isExtra && "extra", align && `align-${align}`, fill && `fill-${fill}`].filter(Boolean).join(" ");
}
