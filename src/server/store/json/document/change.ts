import {
  instanceOf,
  isRecord,
  isTenantName,
  keyOf,
  TABLE_NAMES,
  type RecordOf,
  type TableName,
} from "../../records.ts";
import type { RecordTable } from "./record-table.ts";

export type AnyRecord = RecordOf[TableName];

export type Tables = { readonly [Name in TableName]: RecordTable<Name> };

/**
 * A whole record put in its place, or a key removed: applying it twice is the same as once. Of users, identities and
 * sessions the instance follows the key. Journals of older stores, in which keys are unique, leave it out.
 */
export type Change =
  | ["put", TableName, AnyRecord]
  | ["delete", TableName, string]
  | ["delete", TableName, string, instance_id: string];

/** The removal of a record. */
export function removal<Name extends TableName>(name: Name, record: RecordOf[Name]): Change {
  const key = keyOf(name, record);
  return isTenantName(name) ? ["delete", name, key, instanceOf(record)!] : ["delete", name, key];
}

/** Whether a change can be applied. If not, it must not reach the disk; on the disk, it is damage. */
export function isValidChange([action, name, subject, instance_id]: Change): boolean {
  if (!TABLE_NAMES.includes(name)) return false;
  if (action === "put") return isRecord(name, subject);
  return action === "delete" && typeof subject === "string" && ["string", "undefined"].includes(typeof instance_id);
}
