import { isProvider } from "../../wire/providers.ts";
import { columnsOf, OLDEST_VERSION, TABLE_NAMES, VERSION, type RecordOf, type TableName } from "./columns.ts";
import { isRecord, type Entry } from "./records.ts";

type Loose = Record<string, unknown>;

/** The changes of a version to records, other than new columns. */
const CHANGES: readonly { readonly version: number; readonly table: TableName; change(record: Loose): Loose }[] = [
  {
    version: 3,
    table: "personas",
    /** An account at each provider had a column of its own. */
    change: (record) => {
      if (Object.hasOwn(record, "accounts")) return record;
      const accounts = Object.entries(record).filter(([name]) => isProvider(name));
      const others = Object.entries(record).filter(([name]) => !isProvider(name));
      return { ...Object.fromEntries(others), accounts: Object.fromEntries(accounts) };
    },
  },
];

/**
 * Upgrades a record that an older svc wrote to the newest version. A current record is returned unchanged.
 * @param version of the file or export it was read from: `OLDEST_VERSION` to `VERSION`
 */
export function upgrade<Name extends TableName>(table: Name, record: object, version: number): RecordOf[Name] {
  if (version === VERSION) return record as RecordOf[Name];
  let upgraded = record as Loose;
  for (const { table: changed, version: since, change } of CHANGES)
    if (changed === table && since > version) upgraded = change(upgraded);
  for (const [column, { since = OLDEST_VERSION, initial = null }] of columnsOf(table))
    if (since > version && !Object.hasOwn(upgraded, column)) upgraded = { ...upgraded, [column]: initial };
  return upgraded as RecordOf[Name];
}

/** The record of a value, from the table that has its columns: no two tables have the same. */
export function entryOf(value: object, version: number = VERSION): Entry | undefined {
  const entries = TABLE_NAMES.map((name) => [name, upgrade(name, value, version)] as Entry);
  return entries.find(([name, record]) => isRecord(name, record));
}
