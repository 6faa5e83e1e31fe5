import type { ComponentChildren } from "preact";
import type { Load } from "../api/use-load.ts";
import { Listed, Panel } from "./parts.tsx";
import { Table, type TableProps } from "./table.tsx";
import type { TableRecord } from "./table-row.tsx";

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
