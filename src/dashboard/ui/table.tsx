import { Component, type ComponentChildren } from "preact";
import type { Load } from "../api/use-load.ts";
import { Listed, Panel } from "./parts.tsx";

export interface TableRecord {
  readonly id: string;
}

export interface Column<Row extends TableRecord> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Takes the width that the others leave. */
  readonly isWide?: boolean;
  readonly align?: "end";
  /** Not shown in a narrow window: the row's page has it. */
  readonly isSpare?: boolean;
}

export interface TableProps<Row extends TableRecord> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** The buttons of a row, in a column of their own. */
  readonly buttonsOf?: (row: Row) => ComponentChildren;
  readonly rows: readonly Row[];
  readonly toneOf?: (row: Row) => "bad" | undefined;
}

/** A table of records. Where it is wider than the window, it scrolls by itself. */
export function Table<Row extends TableRecord>({ label, rows, toneOf, buttonsOf, ...props }: TableProps<Row>) {
  const cell = (row: Row): ComponentChildren => <div class="row">{buttonsOf?.(row)}</div>;
  const columns = buttonsOf ? [...props.columns, { title: "Action", align: "end", cell } as const] : props.columns;
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
        <tbody>
          {rows.map((row) => (
            <TableRow<Row> key={row.id} row={row} columns={columns} tone={toneOf?.(row)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface TableRowProps<Row extends TableRecord> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly tone: "bad" | undefined;
}

/** Drawn again only when its record changes, or a signal that it shows: a live list has 200 of them. */
class TableRow<Row extends TableRecord> extends Component<TableRowProps<Row>> {
  override shouldComponentUpdate({ row, tone }: TableRowProps<Row>): boolean {
    return row !== this.props.row || tone !== this.props.tone;
  }

  override render() {
    return <Cells<Row> {...this.props} />;
  }
}

/** Apart from the row, which a signal that is shown could not draw again. */
function Cells<Row extends TableRecord>({ row, columns, tone }: TableRowProps<Row>) {
  return (
    <tr data-id={row.id} data-testid="row" class={tone}>
      {columns.map((column) => (
        <td key={column.title} class={classOf(column)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** The link of a row: it reaches over the whole row, and can be opened in another tab. */
export function RowLink({ address, children }: { address: string; children: ComponentChildren }) {
  return (
    <a class="row-link" href={address}>
      {children}
    </a>
  );
}

function classOf({ align, isWide, isSpare }: Pick<Column<never>, "align" | "isWide" | "isSpare">): string {
  return [align && "align-end", isWide && "wide", isSpare && "spare"].filter(Boolean).join(" ");
}

/** A panel with a table of a whole list of the API. */
export function TablePanel<Row extends TableRecord>(
  props: Omit<TableProps<Row>, "rows"> &
    Pick<Load<readonly Row[]>, "data" | "error"> & {
      reload: () => unknown;
      title?: string;
      /** What can be done with the list. */
      actions?: ComponentChildren;
      /** What stands above the table. */
      children?: ComponentChildren;
      empty: ComponentChildren;
    },
) {
  const { title, actions, children, data, error, reload, empty, ...table } = props;
  return (
    <Panel title={title} actions={actions} flush>
      {children}
      <Listed data={data} error={error} reload={reload} empty={empty}>
        {(rows) => <Table<Row> {...table} rows={rows} />}
      </Listed>
    </Panel>
  );
}
