import { columnsOf, isTenantName, keyColumn } from "../columns.ts";
import { fold } from "../../../text/fold.ts";
import { type RecordOf, type TableName, MOVED_NAMES, TABLE_NAMES, type Records } from "../records.ts";
import type { Database } from "./database/database.ts";
import { announceWait } from "./database/reports.ts";
import { isoOf, timestampOf } from "./database/connection.ts";
import { SECRET_PREFIX } from "../store.ts";
import type { Ask } from "./database/session.ts";

const BATCH = 1000;

export function searchColumn(table: TableName, column: string): string {
  return foldedColumnsOf(table).includes(column) ? `${column}_folded` : column;
}

export function foldedColumnsOf(table: TableName): string[] {
  return columnsOf(table).flatMap(({ name, folded }) => (folded ? [name] : []));
}

export function keyColumns(table: TableName): string[] {
  return [...(isTenantName(table) ? ["instance_id"] : []), keyColumn(table)];
}

/** The columns of a record, for a SELECT from a table that is named `row` there. */
export function selected(table: TableName): string {
  return columnsOf(table)
    .map(({ name }) => `row.${name}`)
    .join(", ");
}

export function selectFrom(table: TableName): string {
  return `SELECT ${selected(table)} FROM svc.${table} AS row`;
}

export type StoredColumn = ReturnType<typeof storedColumnsOf>[number];

/** The columns that a table has in the database, in their order: those of its records, and their folded texts. */
export function storedColumnsOf(table: TableName) {
  return columnsOf(table).flatMap((column) => {
    const stored = { name: column.name, column, isFolded: false };
    return column.folded ? [stored, { ...stored, name: `${column.name}_folded`, isFolded: true }] : [stored];
  });
}

export function storedNames(table: TableName): string {
  return storedColumnsOf(table)
    .map(({ name }) => name)
    .join(", ");
}

/** A record as `json_populate_recordset` takes it. */
export function toRow<Name extends TableName>(table: Name, record: RecordOf[Name]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const { name, kind, folded } of columnsOf(table)) {
    const value = record[name as keyof typeof record] as unknown;
    row[name] = kind === "time" && value !== null ? timestampOf(value as string) : value;
    if (folded) row[`${name}_folded`] = value === null ? null : fold(value as string);
  }
  return row;
}

/** The record of a row, from the server's `row_to_json`. */
export function fromJsonRow<Name extends TableName>(table: Name, row: object): RecordOf[Name] {
  const fields = row as Record<string, unknown>;
  const record = columnsOf(table).map(({ name, kind }) => {
    const value = fields[name];
    return [name, kind === "time" && value !== null ? isoOf(value as string) : value];
  });
  return Object.fromEntries(record) as RecordOf[Name];
}

/** A transaction that reads or replaces all records. Sign-ins, and others like it, wait meanwhile. */
export function withoutWriters(database: Database, work: (ask: Ask) => Promise<void>): Promise<void> {
  const tables = TABLE_NAMES.map((name) => `svc.${name}`).join(", ");
  return database.transaction(async (ask) => {
    await announceWait(database, ask(`LOCK TABLE ${tables} IN SHARE ROW EXCLUSIVE MODE`));
    await work(ask);
  }, false);
}

/** Adds records of any kinds, those that others refer to first, each kind in its order. */
export async function insertAll(ask: Ask, records: Partial<Records>): Promise<void> {
  for (const table of MOVED_NAMES) {
    const columns = storedNames(table);
    const all: readonly RecordOf[typeof table][] = records[table] ?? [];
    for (let start = 0; start < all.length; start += BATCH) {
      const rows = all.slice(start, start + BATCH).map((record) => toRow(table, record));
      await ask(
        `INSERT INTO svc.${table} (${columns})
         SELECT ${columns} FROM json_populate_recordset(NULL::svc.${table}, $1::text::json)`,
        [JSON.stringify(rows)],
      );
    }
  }
}

/** What refers to a user goes with it (ON DELETE CASCADE). */
export async function clearInstance(ask: Ask, instance_id: string): Promise<void> {
  await ask("DELETE FROM svc.states WHERE instance_id = $1::text", [instance_id]);
  await ask("DELETE FROM svc.users WHERE instance_id = $1::text", [instance_id]);
}

/** Deletes rows that refer to others first. The store's secrets stay: other processes continue to use them. */
export async function removeAll(ask: Ask): Promise<void> {
  for (const table of TABLE_NAMES.toReversed())
    await ask(
      table === "settings"
        ? `DELETE FROM svc.settings WHERE NOT starts_with(name, '${SECRET_PREFIX}')`
        : `DELETE FROM svc.${table}`,
    );
}

/** Whether the database has no records. Settings do not count. */
export async function isEmpty(ask: Ask): Promise<boolean> {
  const [row] = await ask<{ empty: boolean }>(
    `SELECT NOT (${TABLE_NAMES.filter((name) => name !== "settings")
      .map((table) => `EXISTS (SELECT FROM svc.${table})`)
      .join(" OR ")}) AS empty`,
  );
  return row!.empty;
}
