import { databaseUnusable } from "./database/reasons.ts";
import { TABLE_NAMES, isTenantName, type TableName } from "../columns.ts";
import type { Ask } from "./database/session.ts";
import { storedColumnsOf, keyColumns, type StoredColumn } from "./rows.ts";
import { KINDS } from "../kinds.ts";
import { SNAPSHOT_TABLES } from "./snapshots.ts";

/** What must be unique besides keys and the columns that say so. */
const UNIQUE: Partial<Record<TableName, string>> = {
  users: "CONSTRAINT users_email UNIQUE (instance_id, email_folded)",
  identities: "CONSTRAINT identities_uid UNIQUE (instance_id, provider, uid)",
};

/**
 * The schema. Text that is compared is ordered by its bytes, as in every store. Whatever is
 * unique among users, identities and sessions begins with the instance, so that these tables can be partitioned by it. A
 * partitioned table can't have identity columns before PostgreSQL 17.
 */
const TABLES = `
${TABLE_NAMES.map(createTable).join("\n")}

-- A renewed session changes here alone what an index has, so that its row and the other indexes stay as they are: 99 % of
-- renewals are HOT instead of none, and write 1.2 KB of WAL instead of 2.4, for 155 bytes a session (50,000 of them). The
-- primary key leads a search from its sessions to their places in the list.
CREATE TABLE svc.session_times (
  instance_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  last_signin_at timestamptz(3) NOT NULL,
  PRIMARY KEY (instance_id, id)
);

-- One row, which changes with every change of these tables, also by hand: servers look at it instead of at all instances.
CREATE TABLE svc.revision (number bigint NOT NULL);
INSERT INTO svc.revision VALUES (0);

${SNAPSHOT_TABLES}
-- A store that is being filled from elsewhere, and how far that has come. No row: a store.
CREATE TABLE svc.filling (fingerprint text NOT NULL, entries bigint NOT NULL);
`;

function createTable(table: TableName): string {
  const columns = storedColumnsOf(table);
  const definitions = [
    `position bigint NOT NULL DEFAULT nextval('svc.${table}_position')`,
    ...columns.map(definitionOf),
    `PRIMARY KEY (${keyColumns(table).join(", ")})`,
    ...columns.flatMap((stored) => constraintsOf(table, stored)),
    ...(UNIQUE[table] === undefined ? [] : [UNIQUE[table]]),
  ];
  // Room for the next version of a row on its page, which then needs no new entries in indexes.
  const room = isTenantName(table) ? " WITH (fillfactor = 90)" : "";
  return `CREATE SEQUENCE svc.${table}_position;\nCREATE TABLE svc.${table} (\n  ${definitions.join(",\n  ")}\n)${room};`;
}

function definitionOf({ name, column }: StoredColumn): string {
  const { sql } = KINDS[column.kind];
  return `${name} ${sql === "text" ? `text COLLATE "C"` : sql}${column.nullable ? "" : " NOT NULL"}`;
}

function constraintsOf(table: TableName, { name, isFolded, column }: StoredColumn): string[] {
  const { unique, references } = column;
  if (isFolded) return [];
  const within = isTenantName(table) ? "instance_id, " : "";
  // Rows that refer to a user are deleted with it.
  if (references === "users")
    return [`FOREIGN KEY (instance_id, ${name}) REFERENCES svc.users (instance_id, id) ON DELETE CASCADE`];
  if (references !== undefined) return [`FOREIGN KEY (${name}) REFERENCES svc.${references}`];
  return unique === true ? [`UNIQUE (${within}${name})`] : [];
}

/**
 * The schema's versions. The first creates the schema as it is now; each later one brings a database of the previous version
 * there, and is never edited once released. Everything is in a schema of its own, so that the database can have others.
 *
 * A later column needs one, e.g. `ALTER TABLE svc.users ADD COLUMN locale text COLLATE "C"`; if it can't be
 * null, with a DEFAULT, because processes of the previous version continue to write. A version waits for locks no longer than
 * `migrate` allows, so it must not read or rewrite a large table. Indexes are in `indexes.ts`, functions in `functions.ts`.
 */
export const MIGRATIONS: readonly string[] = [TABLES];

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
    throw databaseUnusable(
      `${location} has no column svc.${missing}. The migration that adds it is missing, or another program changed the schema. Nothing was changed.`,
    );
}
