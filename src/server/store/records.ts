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

export * from "./columns.ts";
export type { ClientRecord, ConnectionRecord, OldKey } from "./kinds.ts";

export type InstanceRecord = RecordOf["instances"];
export type PersonaRecord = RecordOf["personas"];
export type UserRecord = RecordOf["users"];
export type IdentityRecord = RecordOf["identities"];
export type SessionRecord = RecordOf["sessions"];
export type StateRecord = RecordOf["states"];
export type SettingRecord = RecordOf["settings"];

/** The tables that are copied from store to store. States expire, and settings belong to the running service. */
export type MovedName = Exclude<TableName, "states" | "settings">;
export const MOVED_NAMES = TABLE_NAMES.filter((name): name is MovedName => name !== "states" && name !== "settings");

export type Records = { -readonly [Name in MovedName]: RecordOf[Name][] };

export type Entry = { [Name in TableName]: readonly [Name, RecordOf[Name]] }[TableName];

const CHECKS = byTable(TABLE_NAMES, (name) =>
  columnsOf(name).map((column) => ({ ...column, is: KINDS[column.kind].is })),
);
const KEYS = byTable(TABLE_NAMES, keyColumn);

/** The key of a record in its table, or in its instance's part of it: a session's `session_id`, a state's `state`, otherwise the `id`. */
export function keyOf(name: TableName, record: RecordOf[TableName]): string {
  return record[KEYS[name] as keyof typeof record];
}

export function instanceIdOf(record: object): string | undefined {
  return (record as { readonly instance_id?: string }).instance_id;
}

export type NewRecord<Name extends TableName> = Omit<RecordOf[Name], OptionalColumn<Name>> &
  Partial<Pick<RecordOf[Name], OptionalColumn<Name>>>;

/** A record of a table. Columns that are left out are null, or have their initial value. */
export function newRecord<Name extends TableName>(name: Name, given: NewRecord<Name>): RecordOf[Name] {
  const values = given as Readonly<Record<string, unknown>>;
  const record: Record<string, unknown> = {};
  for (const { name: column, initial = null } of columnsOf(name)) record[column] = values[column] ?? initial;
  return record as RecordOf[Name];
}

export function withoutSecrets<Name extends TableName>(
  name: Name,
  record: RecordOf[Name],
): Omit<RecordOf[Name], SealedColumn<Name>> {
  const shown: Record<string, unknown> = {};
  for (const { name: column, sealed } of columnsOf(name))
    if (!sealed) shown[column] = record[column as keyof RecordOf[Name]];
  return shown as Omit<RecordOf[Name], SealedColumn<Name>>;
}

/** Whether a value is a record of a table: it has every column, with a value of its kind, and no other. */
export function isRecord<Name extends TableName>(name: Name, value: unknown): value is RecordOf[Name] {
  if (typeof value !== "object" || value === null) return false;
  const record = value as Readonly<Record<string, unknown>>;
  return invalidColumn(name, record) === undefined && Object.keys(record).length === CHECKS[name].length;
}

/** A value with the columns that it leaves out, where they may be null or have an initial value: an older svc wrote it, or a person. */
export function completed(name: TableName, value: object): object {
  const columns = CHECKS[name];
  if (Object.keys(value).length >= columns.length) return value;
  const optional = columns.filter(({ nullable, initial }) => nullable || initial !== undefined);
  return { ...Object.fromEntries(optional.map(({ name: column, initial = null }) => [column, initial])), ...value };
}

/** The first column whose value is not of its kind, or is missing. */
export function invalidColumn(name: TableName, record: object): string | undefined {
  for (const { name: column, nullable, is } of CHECKS[name]) {
    const part = (record as Readonly<Record<string, unknown>>)[column];
    if (!(part === null ? nullable : is(part))) return column;
  }
  return undefined;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The first column for a time whose value is none that svc writes, such as PostgreSQL's `infinity`. */
export function invalidTime(name: TableName, record: object): string | undefined {
  for (const { name: column, kind } of CHECKS[name]) {
    const value = (record as Readonly<Record<string, unknown>>)[column];
    if (kind === "time" && value !== null && !isTime(value)) return column;
  }
  return undefined;
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && TIME.test(value) && !Number.isNaN(Date.parse(value));
}

/** A record as JSON, with its columns in the order of the table. */
export function recordText([name, record]: Entry): string {
  const columns = CHECKS[name];
  if (Object.keys(record).every((column, n) => column === columns[n]?.name)) return JSON.stringify(record);
  return JSON.stringify(
    Object.fromEntries(columns.map(({ name: column }) => [column, record[column as keyof typeof record]])),
  );
}
