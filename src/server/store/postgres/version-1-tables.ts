import { isTenantName, TABLE_NAMES, type TableName } from "../columns.ts";
import { KINDS } from "../kinds.ts";
import { SNAPSHOT_TABLES } from "./snapshots.ts";
import { isLate, keyColumns, storedColumnsOf, type StoredColumn } from "./rows.ts";

/** What must be unique besides keys and the columns that say so. */
const UNIQUE: Partial<Record<TableName, string>> = {
  users: "CONSTRAINT users_email UNIQUE (instance_id, email_folded)",
  identities: "CONSTRAINT identities_uid UNIQUE (instance_id, provider, uid)",
};

/**
 * Version 1 of the schema: never edited. Text that is compared is ordered by its bytes, as in every store. Whatever is
 * unique among users, identities and sessions begins with the instance, so that these tables can be partitioned by it. A
 * partitioned table can't have identity columns before PostgreSQL 17.
 */
export const TABLES = `
${TABLE_NAMES.map(createTable).join("\n")}

${SNAPSHOT_TABLES}
-- A store that is being filled from elsewhere, and how far that has come. No row: a store.
CREATE TABLE svc.filling (fingerprint text NOT NULL, entries bigint NOT NULL);
`;

function createTable(table: TableName): string {
  const columns = storedColumnsOf(table).filter((stored) => !isLate(stored));
  const definitions = [
    `position bigint NOT NULL DEFAULT nextval('svc.${table}_position')`,
    ...columns.map(definitionOf),
    `PRIMARY KEY (${keyColumns(table).join(", ")})`,
    ...columns.flatMap((stored) => constraintsOf(table, stored)),
    ...(UNIQUE[table] === undefined ? [] : [UNIQUE[table]]),
  ];
  return `CREATE SEQUENCE svc.${table}_position;\nCREATE TABLE svc.${table} (\n  ${definitions.join(",\n  ")}\n);`;
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
