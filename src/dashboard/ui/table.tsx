import { Component, type ComponentChildren, type VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { goTo } from "../router.ts";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** The column is hidden if the table is narrower than this many pixels, and too wide for its cells to stack. */
  readonly from?: 400 | 560 | 740 | 960;
  /** The column shares the width that the others leave, and cuts its text with an ellipsis. */
  readonly fill?: "always";
  readonly align?: "end";
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
}

/** The row that was opened last, by the table's label. Going back returns to it. */
const opened = new Map<string, { readonly id: string; readonly index: number }>();

/** Whether the user comes back from a row of this table. */
export function isReturning(label: string): boolean {
  return opened.has(label);
}

/** A table whose rows can be selected with the arrow keys and opened with Enter. In a narrow window the cells of a row stack. */
export function Table<Row>({ label, columns, rows, idOf, linkOf, toneOf }: TableProps<Row>): VNode {
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
    <div class="table-scroll">
      <table role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.title} role="columnheader" scope="col" class={classOf(column)}>
                {column.title}
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
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const SLIDE_MS = 180;

/** New rows on top push the others down visibly: the eye can follow them. */
function useSlide({ current: body }: { current: HTMLTableSectionElement | null }, first: string | undefined): void {
  const before = useRef<{ row: HTMLElement; top: number } | undefined>(undefined);
  useLayoutEffect(() => {
    if (!body) return;
    const { row: old, top = 0 } = before.current ?? {};
    const moved = old?.isConnected ? old.offsetTop - top : 0;
    if (moved > 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches)
      body.animate({ transform: [`translateY(${-moved}px)`, "none"] }, { duration: SLIDE_MS, easing: "ease-out" });
    const row = body.firstElementChild as HTMLElement | null;
    before.current = row ? { row, top: row.offsetTop } : undefined;
  }, [body, first]);
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

function Cells<Row>({ id, row, columns, table, address, tone, isFirst }: TableRowProps<Row>): VNode {
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
        else if (move(event.currentTarget, event.key)) event.preventDefault();
      }}
    >
      {columns.map((column) => (
        <td key={column.title} role="cell" data-label={column.title} class={classOf(column)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
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

function classOf({ from, align, fill }: Pick<Column<never>, "from" | "align" | "fill">): string {
  return [from && `from-${from}`, align && `align-${align}`, fill && `fill-${fill}`].filter(Boolean).join(" ");
}
