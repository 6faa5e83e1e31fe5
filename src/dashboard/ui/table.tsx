import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { goTo } from "../router.ts";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** The column is hidden if the table is narrower than this many pixels. */
  readonly from?: 400 | 560 | 740 | 960;
  /** The column shares the width that the others leave, in a narrow table or in any, and cuts its text with an ellipsis. */
  readonly fill?: "narrow" | "always";
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
const opened = new Map<string, string>();

/** Whether the user comes back from a row of this table. */
export function isReturning(label: string): boolean {
  return opened.has(label);
}

/** A table whose rows can be selected with the arrow keys and opened with Enter. */
export function Table<Row>({ label, columns, rows, idOf, linkOf, toneOf }: TableProps<Row>): VNode {
  const body = useRef<HTMLTableSectionElement>(null);
  const isFilled = rows.length > 0;
  useLayoutEffect(() => {
    const id = opened.get(label);
    if (!isFilled || id === undefined) return;
    opened.delete(label);
    body.current?.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(id)}"]`)?.focus();
  }, [label, isFilled]);

  const open = (row: Row): void => {
    if (!linkOf) return;
    opened.set(label, idOf(row));
    goTo(linkOf(row));
  };
  return (
    <div class="table-scroll">
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row, index) => (
            <tr
              key={idOf(row)}
              data-id={idOf(row)}
              data-testid="row"
              class={`${linkOf ? "link" : ""} ${toneOf?.(row) ?? ""}`}
              tabIndex={linkOf && index === 0 ? 0 : -1}
              onClick={(event) => {
                if (!opensRow(event)) return;
                event.preventDefault();
                open(row);
              }}
              onKeyDown={(event) => {
                if (event.target !== event.currentTarget) return;
                if (event.key === "Enter") open(row);
                else if (move(event.currentTarget, event.key)) event.preventDefault();
              }}
            >
              {columns.map((column) => (
                <td key={column.title} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
