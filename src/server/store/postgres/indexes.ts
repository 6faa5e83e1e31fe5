import { columnsOf, TABLE_NAMES, type TableName } from "../columns.ts";
import type { Ask } from "./database/session.ts";

type IndexedTable = TableName | "session_times";

interface Index {
  readonly name: string;
  readonly table: IndexedTable;
  readonly on: { readonly columns: string } | { readonly partsOf: string };
}

/** Lists begin with the newest and read theirs backwards: an index that grows at its end is half as large as one at its start. */
const ORDERED: readonly (readonly [name: string, table: IndexedTable, columns: string])[] = [
  ["users_newest", "users", "instance_id, created_at, id DESC"],
  ["identities_user", "identities", "instance_id, user_id, position"],
  ["session_times_newest", "session_times", "instance_id, last_signin_at, id DESC"],
  ["sessions_user", "sessions", "instance_id, user_id, position"],
  ["sessions_email", "sessions", "instance_id, email_folded"],
  ["sessions_ip_address", "sessions", "instance_id, ip_address_folded"],
  ["states_oldest", "states", "instance_id, position"],
];

/** All of them. A later version adds its own here, and `migrate` creates what a database lacks. */
const INDEXES: readonly Index[] = [
  ...ORDERED.map(([name, table, columns]) => ({ name, table, on: { columns } })),
  ...TABLE_NAMES.flatMap((table) =>
    columnsOf(table).flatMap(({ name: column, hasPartsIndex }) =>
      hasPartsIndex ? [{ name: `${table}_${column}_trigrams`, table, on: { partsOf: `${column}_folded` } }] : [],
    ),
  ),
];

/** Whether the extension is there that indexes for parts of a text need. */
export async function hasTrigrams(ask: Ask): Promise<boolean> {
  return (await trigramSchema(ask)) !== undefined;
}

/** The indexes that a database lacks, or has incomplete. Those for parts of a text need the extension. */
export async function missingIndexes(ask: Ask): Promise<readonly Index[]> {
  const rows = await ask<{ name: string }>(
    `SELECT relname AS name FROM pg_index JOIN pg_class c ON c.oid = indexrelid
     WHERE relnamespace = to_regnamespace('svc') AND indisvalid`,
  );
  const there = new Set(rows.map(({ name }) => name));
  const withParts = await hasTrigrams(ask);
  return INDEXES.filter(({ name, on }) => !there.has(name) && (withParts || "columns" in on));
}

/** Creates indexes of tables that are not in use yet, within a transaction. */
export async function createIndexes(ask: Ask, indexes: readonly Index[]): Promise<void> {
  for (const index of indexes)
    await ask(`CREATE INDEX ${index.name} ON svc.${index.table} ${await definitionOf(ask, index)}`);
}

/**
 * Creates indexes while others read and write the tables. Each waits for the transactions that were open when it began. What
 * an interrupted attempt left is built again.
 * @param ask outside a transaction
 */
export async function buildIndexes(ask: Ask, indexes: readonly Index[]): Promise<void> {
  for (const index of indexes) {
    const { name, table } = index;
    const definition = await definitionOf(ask, index);
    const partitions = await partitionsOf(ask, table);
    if (!partitions) await buildOne(ask, name, table, definition);
    else {
      // An index of the whole table can't be created concurrently. Once all its parts are attached, it is valid.
      await ask(`CREATE INDEX IF NOT EXISTS ${name} ON ONLY svc.${table} ${definition}`);
      for (const partition of partitions) {
        const part = `${partition}_${name}`;
        await buildOne(ask, part, partition, definition);
        await ask(`ALTER INDEX svc.${quoted(name)} ATTACH PARTITION svc.${quoted(part)}`);
      }
    }
  }
}

async function buildOne(ask: Ask, name: string, table: string, definition: string): Promise<void> {
  const [before] = await ask<{ valid: boolean }>(
    "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('svc.' || quote_ident($1::text))",
    [name],
  );
  if (before?.valid) return;
  if (before) await ask(`DROP INDEX CONCURRENTLY svc.${quoted(name)}`);
  await ask(`CREATE INDEX CONCURRENTLY ${quoted(name)} ON svc.${quoted(table)} ${definition}`);
}

async function definitionOf(ask: Ask, { on }: Index): Promise<string> {
  return "columns" in on ? `(${on.columns})` : `USING gin (${on.partsOf} ${await trigramSchema(ask)}.gin_trgm_ops)`;
}

/** The names of a table's partitions; undefined if it is not partitioned. */
async function partitionsOf(ask: Ask, table: IndexedTable): Promise<string[] | undefined> {
  const rows = await ask<{ name: string | null }>(
    `SELECT part.relname AS name FROM pg_partitioned_table p
     LEFT JOIN pg_inherits ON inhparent = p.partrelid LEFT JOIN pg_class part ON part.oid = inhrelid
     WHERE p.partrelid = to_regclass($1::text) ORDER BY part.relname`,
    [`svc.${table}`],
  );
  return rows.length === 0 ? undefined : rows.flatMap(({ name }) => (name === null ? [] : [name]));
}

/** The schema of the extension, which may be any. */
async function trigramSchema(ask: Ask): Promise<string | undefined> {
  const [extension] = await ask<{ schema: string }>(
    `SELECT quote_ident(nspname) AS schema FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
     WHERE extname = 'pg_trgm'`,
  );
  return extension?.schema;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
