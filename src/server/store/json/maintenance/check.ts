import { resolve } from "node:path";
import { byTable, TABLE_NAMES, type Entry, type SessionRecord, type TableName } from "../../records.ts";
import { recordFault, References } from "../../record-faults.ts";
import type { StoreCheck } from "../../maintenance.ts";
import type { AnyRecord, Tables } from "../document/change.ts";
import { damageText } from "../files/damage.ts";
import { inReadView } from "../files/read-view.ts";
import { scan, type Scan } from "./scan.ts";

/**
 * Reads every line of a file store. It takes no lock, changes nothing, and may be in use.
 * @throws {StoreRefused} if there is none, or a newer svc wrote it
 */
export async function checkJsonStore(path: string): Promise<StoreCheck> {
  const found = await look(path);
  // A server that could not write a line cuts it off again, and may have done so while we were reading.
  return found.damage.length > 0 ? look(path) : found;
}

async function look(path: string): Promise<StoreCheck> {
  return inReadView(resolve(path), async (view) => {
    const found = await scan(view, checkedPart);
    const version = found.header?.version;
    return {
      location: view.path,
      kind: `json, ${version === undefined ? "not compacted yet" : `format ${version}`}`,
      bytes: view.files.reduce((sum, { size }) => sum + size, 0),
      sequence: found.sequence,
      tables: countsOf(found),
      damage: [
        ...found.damage.map(damageText),
        ...invalidIn(found.tables, ([, part]) => (part as Partial<Faulty>).fault),
      ],
      dangling: danglingIn(found).map(
        ({ entry: [name], key, missing }) => `${name} ${key} belongs to ${missing}, which isn't there`,
      ),
      notes: found.leftovers,
    };
  });
}

/** A record that is not valid on its own, and why. */
interface Faulty {
  readonly fault: string;
}

/** Who a record belongs to, and what is wrong with it: all records may not fit in memory. */
function checkedPart(entry: Entry): AnyRecord {
  const { id, instance_id, user_id } = entry[1] as Partial<SessionRecord>;
  const fault = recordFault(entry);
  return { id, instance_id, user_id, ...(fault !== undefined && { fault }) } as Partial<Faulty> as AnyRecord;
}

/** The number of records in each table. */
export function countsOf({ tables }: Pick<Scan, "tables">): Record<TableName, number> {
  return byTable(TABLE_NAMES, (name) => tables[name].size);
}

/** A sentence for each record with a value that svc does not write; one of another kind is damage in its line. */
export function invalidIn(tables: Tables, faultOf = recordFault): string[] {
  return TABLE_NAMES.flatMap((name) =>
    [...tables[name].values()].flatMap((record) => {
      const fault = faultOf([name, record] as Entry);
      return fault === undefined ? [] : [`${fault}. Restore a backup.`];
    }),
  );
}

/** The records that belong to others that aren't there. */
export function danglingIn({ tables }: Pick<Scan, "tables">): { entry: Entry; key: string; missing: string }[] {
  const references = new References();
  return TABLE_NAMES.flatMap((name) =>
    [...tables[name]].flatMap(([key, record]) => {
      const entry = [name, record] as Entry;
      const missing = references.missing(entry);
      const shown = name === "states" ? `${key.slice(0, 8)}…` : key;
      return missing === undefined ? [] : [{ entry, key: shown, missing }];
    }),
  );
}
