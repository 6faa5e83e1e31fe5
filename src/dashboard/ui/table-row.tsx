import type { Signal } from "@preact/signals";
import { Component, type ComponentChildren } from "preact";
import { goTo } from "../router.ts";

export interface TableRecord {
  readonly id: string;
  readonly data: object;
}

export interface Column<Row extends TableRecord> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Whether rows can be told apart without it. It is hidden where the cells have little room and do not stack. */
  readonly isExtra?: boolean;
  /** The column shares the width that the others leave, and cuts its text with an ellipsis. */
  readonly fill?: "always";
  readonly align?: "end";
  /** The field that the rows can be sorted by. */
  readonly sortBy?: keyof Row["data"];
}

export type Selection = Signal<ReadonlySet<string>>;

export function setSelected(selection: Selection, ids: readonly string[], isSelected: boolean): void {
  const next = new Set(selection.peek());
  for (const id of ids)
    if (isSelected) next.add(id);
    else next.delete(id);
  selection.value = next;
}

/** The row that was opened last, by the table's label. Going back returns to it. */
export const opened = new Map<string, { readonly id: string; readonly index: number }>();

interface TableRowProps<Row extends TableRecord> {
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
export class TableRow<Row extends TableRecord> extends Component<TableRowProps<Row>> {
  override shouldComponentUpdate(next: TableRowProps<Row>): boolean {
    return (Object.keys(next) as (keyof TableRowProps<Row>)[]).some((name) => next[name] !== this.props[name]);
  }

  override render() {
    return <Cells<Row> {...this.props} />;
  }
}

/** Apart from the row, which a signal that is shown could not draw again. */
function Cells<Row extends TableRecord>(props: TableRowProps<Row>) {
  const { row, columns, table, address, tone, isFirst, selection } = props;
  const { id } = row;
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
export function RowLink({ address, children }: { address: string; children: ComponentChildren }) {
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

export function classOf({ isExtra, align, fill }: Pick<Column<never>, "isExtra" | "align" | "fill">): string {
  return [isExtra && "extra", align && `align-${align}`, fill && `fill-${fill}`].filter(Boolean).join(" ");
}
