import {
  byTable,
  columnsOf,
  keyColumn,
  TABLE_NAMES,
  type OptionalColumn,
  type RecordOf,
  type SealedColumn,
  type TableName,
} from "./columns.ts";
import { KINDS } from "./kinds.ts";

export { byTable, TABLE_NAMES, VERSION, type RecordOf, type TableName } from "./columns.ts";
export type { ConnectionRecord } from "./kinds.ts";

export type InstanceRecord = RecordOf["instances"];
export type PersonaRecord = RecordOf["personas"];
export type UserRecord = RecordOf["users"];
export type IdentityRecord = RecordOf["identities"];
export type SessionRecord = RecordOf["sessions"];
export type StateRecord = RecordOf["states"];
export type SettingRecord = RecordOf["settings"];

/** The tables whose content is moved from store to store: states pass, and settings are of the service that runs. */
export type MovedName = Exclude<TableName, "states" | "settings">;
export const MOVED_NAMES = TABLE_NAMES.filter((name): name is MovedName => name !== "states" && name !== "settings");

/** The content of a store, but for what is of the service that runs on it. */
export type Records = { -readonly [Name in MovedName]: RecordOf[Name][] };

/** A record with its table. */
export type Entry = { [Name in TableName]: readonly [Name, RecordOf[Name]] }[TableName];

const CHECKS = byTable(TABLE_NAMES, (name) =>
  columnsOf(name).map(([column, { kind, nullable = false }]) => ({ name: column, nullable, is: KINDS[kind].is })),
);
const KEYS = byTable(TABLE_NAMES, keyColumn);

/** What tells a record from the others of its table: a session's `session_id`, a state's `state`, else the `id`. */
export function keyOf(name: TableName, record: RecordOf[TableName]): string {
  return record[KEYS[name] as keyof typeof record];
}

/** A record to be made: what can be null, or has an initial value, may be left out. */
export type NewRecord<Name extends TableName> = Omit<RecordOf[Name], OptionalColumn<Name>> &
  Partial<Pick<RecordOf[Name], OptionalColumn<Name>>>;

export function newRecord<Name extends TableName>(name: Name, given: NewRecord<Name>): RecordOf[Name] {
  const values = given as Readonly<Record<string, unknown>>;
  const record: Record<string, unknown> = {};
  for (const [column, { initial = null }] of columnsOf(name)) record[column] = values[column] ?? initial;
  return record as RecordOf[Name];
}

/** A record without what no answer may have. */
export function withoutSecrets<Name extends TableName>(
  name: Name,
  record: RecordOf[Name],
): Omit<RecordOf[Name], SealedColumn<Name>> {
  const shown: Record<string, unknown> = {};
  for (const [column, { sealed }] of columnsOf(name))
    if (!sealed) shown[column] = record[column as keyof RecordOf[Name]];
  return shown as Omit<RecordOf[Name], SealedColumn<Name>>;
}

/** Whether a value is a record of a table: every column, with a value of its kind, and no other. */
export function isRecord<Name extends TableName>(name: Name, value: unknown): value is RecordOf[Name] {
  if (typeof value !== "object" || value === null) return false;
  const record = value as Readonly<Record<string, unknown>>;
  const checks = CHECKS[name];
  for (const { name: column, nullable, is } of checks) {
    const part = record[column];
    if (!(part === null ? nullable : is(part))) return false;
  }
  return Object.keys(record).length === checks.length;
}

/** A record as JSON with its columns in the order of their table, wherever the record comes from. */
export function recordText([name, record]: Entry): string {
  const columns = CHECKS[name];
  if (Object.keys(record).every((column, n) => column === columns[n]?.name)) return JSON.stringify(record);
  return JSON.stringify(
    Object.fromEntries(columns.map(({ name: column }) => [column, record[column as keyof typeof record]])),
  );
}
