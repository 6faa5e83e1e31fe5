import { MOVED_NAMES, TABLE_NAMES, type RecordOf, type Records, type TableName } from "../records.ts";
import { SECRET_PREFIX } from "../store.ts";
import { storedNames, toRow } from "./rows.ts";
import type { Ask } from "./database/session.ts";

const BATCH = 1000;

/** For a transaction that reads or replaces all records. Sign-ins, and others like it, wait meanwhile. */
export const NO_WRITERS = `LOCK TABLE ${TABLE_NAMES.map((name) => `svc.${name}`).join(", ")} IN SHARE ROW EXCLUSIVE MODE`;

/** Adds records of one kind, in their order. */
async function insert<Name extends TableName>(
  ask: Ask,
  table: Name,
  records: readonly RecordOf[Name][],
): Promise<void> {
  const columns = storedNames(table);
  for (let start = 0; start < records.length; start += BATCH) {
    const rows = records.slice(start, start + BATCH).map((record) => toRow(table, record));
    await ask(
      `INSERT INTO svc.${table} (${columns})
       SELECT ${columns} FROM json_populate_recordset(NULL::svc.${table}, $1::text::json)`,
      [JSON.stringify(rows)],
    );
  }
}

/** Adds records of any kinds, those that others refer to first. */
export async function insertAll(ask: Ask, records: Partial<Records>): Promise<void> {
  for (const table of MOVED_NAMES) await insert(ask, table, records[table] ?? []);
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
