import { TABLE_NAMES, type TableName } from "../columns.ts";
import { KINDS } from "../kinds.ts";
import { SNAPSHOT_TABLES } from "./snapshots.ts";
import { isLate, storedColumnsOf, type StoredColumn } from "./rows.ts";

/** Version 1 of the schema: never edited. Text that is compared is ordered by its bytes, as in every store. */
export const TABLES = `
${TABLE_NAMES.map(createTable).join("\n")}

CREATE UNIQUE INDEX users_email ON svc.users (instance_id, email_folded);
CREATE INDEX users_newest ON svc.users (instance_id, created_at DESC, id);
CREATE UNIQUE INDEX identities_uid ON svc.identities (instance_id, provider, uid);
CREATE INDEX identities_user ON svc.identities (user_id, position);
CREATE INDEX sessions_newest ON svc.sessions (instance_id, last_signin_at DESC, id);
CREATE INDEX sessions_user ON svc.sessions (user_id, position);
CREATE INDEX sessions_email ON svc.sessions (instance_id, email_folded);
CREATE INDEX sessions_ip_address ON svc.sessions (instance_id, ip_address_folded);
CREATE INDEX states_oldest ON svc.states (instance_id, position);

${SNAPSHOT_TABLES}
-- A store that is being filled from elsewhere, and how far that has come. No row: a store.
CREATE TABLE svc.filling (fingerprint text NOT NULL, entries bigint NOT NULL);
`;

function createTable(table: TableName): string {
  const columns = storedColumnsOf(table).filter((stored) => !isLate(stored));
  const definitions = ["position bigint GENERATED ALWAYS AS IDENTITY", ...columns.map(definitionOf)];
  return `CREATE TABLE svc.${table} (\n  ${definitions.join(",\n  ")}\n);`;
}

function definitionOf({ name, isFolded, column }: StoredColumn): string {
  const { kind, nullable, unique, references } = column;
  const { sql } = KINDS[kind];
  const type = `${name} ${sql === "text" ? `text COLLATE "C"` : sql}${nullable ? "" : " NOT NULL"}`;
  if (isFolded) return type;
  const key = unique === "key" ? " PRIMARY KEY" : unique ? " UNIQUE" : "";
  // Rows that refer to a user are deleted with it.
  return `${type}${key}${references ? ` REFERENCES svc.${references}${references === "users" ? " ON DELETE CASCADE" : ""}` : ""}`;
}
