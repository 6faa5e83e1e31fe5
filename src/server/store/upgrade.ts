import { isProvider } from "../../wire/names.ts";
import { columnsOf, OLDEST_VERSION, TABLE_NAMES, VERSION, type RecordOf, type TableName } from "./columns.ts";
import { isRecord, type Entry } from "./records.ts";

type Loose = Record<string, unknown>;

/** What a version did to records beyond adding columns. */
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
 * Brings a record that an older svc wrote up to the newest version. One that is up to it already stays as it is.
 * @param version of what the record was read from: from `OLDEST_VERSION` to `VERSION`
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

/** The record that a value is, of whichever table has its columns: no two have the same. */
export function entryOf(value: object, version: number = VERSION): Entry | undefined {
  const entries = TABLE_NAMES.map((name) => [name, upgrade(name, value, version)] as Entry);
  return entries.find(([name, record]) => isRecord(name, record));
}
