import { columnsOf } from "../../columns.ts";
import { instanceOf, type Entry, type MovedName, type RecordOf, type TableName } from "../../records.ts";
import { AlreadyExists, Conflict } from "../../store.ts";
import type { Document } from "./document.ts";
import type { RecordTable } from "./record-table.ts";

/** Records that are written together. */
export type Added = { readonly [Name in MovedName]: RecordTable<Name> };

/**
 * @throws {Conflict} if a unique value is taken, or the record it belongs to is missing
 * @param before the record that it replaces; undefined if it is new
 * @param added those that are written with it
 */
export function refuseConflict(
  document: Document,
  [name, record]: Entry,
  before: RecordOf[TableName] | undefined,
  added: Added | undefined,
): void {
  const { tables } = document;
  for (const [column, { unique }] of columnsOf(name)) {
    const value = record[column as keyof typeof record] as unknown;
    if (!unique || (before && before[column as keyof typeof before] === value)) continue;
    const isTaken =
      unique === "key"
        ? (tables[name] as RecordTable<TableName>).has(value as string, instanceOf(record)!)
        : isOfOther(document, name, column, value);
    if (isTaken)
      throw new AlreadyExists(
        `${name}.${column}: another record has ${column === "secret_key" ? "the same" : `"${String(value)}"`}`,
      );
  }
  const isThere = (table: "instances" | "users", id: string, instance_id?: string): boolean =>
    [tables, added].some((some) => (some?.[table] as RecordTable<TableName> | undefined)?.has(id, instance_id!));
  if (name === "users") {
    const other = document.tenant(record.instance_id).userByEmail(record.email);
    if (other && other !== before)
      throw new AlreadyExists(`users.email: another user of the instance has "${record.email}"`);
    if (!isThere("instances", record.instance_id))
      throw new Conflict(`users.instance_id: there is no instance ${record.instance_id}`);
  }
  if (name === "identities") {
    const other = document.tenant(record.instance_id).identityByUid(record.provider, record.uid);
    if (other && other !== before)
      throw new AlreadyExists(`identities.uid: another user has the ${record.provider} account ${record.uid}`);
  }
  if ((name === "identities" || name === "sessions") && !isThere("users", record.user_id, record.instance_id))
    throw new Conflict(`${name}.user_id: there is no user ${record.user_id}`);
}

/** Instances are few. A session's id is random, and is looked up only if it was given. */
function isOfOther({ tables }: Document, name: TableName, column: string, value: unknown): boolean {
  const rows: object[] = name === "instances" ? [...tables.instances.values()] : [];
  return rows.some((row) => row[column as keyof typeof row] === value);
}
