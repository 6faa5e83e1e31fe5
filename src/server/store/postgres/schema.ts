import { TABLE_NAMES } from "../columns.ts";
import { StoreRefused } from "../store.ts";
import type { Ask } from "./database/session.ts";
import { storedColumnsOf } from "./rows.ts";
import { TABLES } from "./create-tables.ts";

/**
 * The schema's versions: the first creates it, each later one changes the previous. A released version is never edited.
 * Everything is in a schema of its own, so that the database can have others.
 *
 * A later column needs one, e.g. `ALTER TABLE svc.users ADD COLUMN locale text COLLATE "C"`; if it can't be
 * null, with a DEFAULT, because processes of the previous version continue to write. A version waits for locks no longer than
 * `migrate` allows, so it must not read or rewrite a large table. Indexes are in `indexes.ts`.
 */
export const MIGRATIONS: readonly string[] = [
  TABLES,
  "ALTER TABLE svc.instances ADD COLUMN preview boolean NOT NULL DEFAULT false",
];

/** @throws {StoreRefused} if a table lacks a column that is read or written here */
export async function checkColumns(location: string, ask: Ask): Promise<void> {
  const rows = await ask<{ name: string }>(
    `SELECT c.relname || '.' || a.attname AS name FROM pg_attribute a
     JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'svc' AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`,
  );
  const there = new Set(rows.map(({ name }) => name));
  const missing = TABLE_NAMES.flatMap((table) => storedColumnsOf(table).map(({ name }) => `${table}.${name}`)).find(
    (name) => !there.has(name),
  );
  if (missing !== undefined)
    throw new StoreRefused(
      "unusable",
      `${location} has no column svc.${missing}. The migration that adds it is missing, or another program changed the schema. Nothing was changed.`,
    );
}
