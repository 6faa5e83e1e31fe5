import { isRecord, TABLE_NAMES, type RecordOf, type TableName } from "../../records.ts";

export type AnyRecord = RecordOf[TableName];

/** Every kind of record, by its key: a session's `session_id`, a state's `state`, else the `id`. */
export type Tables = { readonly [Name in TableName]: Map<string, RecordOf[Name]> };

/** A whole record put in its place, or a key removed: applying it twice is the same as once. */
export type Change = ["put", TableName, AnyRecord] | ["delete", TableName, string];

/** Whether a change can be applied. If not, it must not reach the disk; on the disk, it is damage. */
export function isValidChange([action, name, subject]: Change): boolean {
  if (!TABLE_NAMES.includes(name)) return false;
  return action === "put" ? isRecord(name, subject) : action === "delete" && typeof subject === "string";
}
