import { resolve } from "node:path";
import {
  keyColumn,
  byTable,
  TABLE_NAMES,
  type Entry,
  type SessionRecord,
  type TableName,
  instanceOf,
  keyOf,
} from "../../records.ts";
import { recordFault, References, shownKey } from "../../record-faults.ts";
import type { StoreCheck } from "../../maintenance.ts";
import { emptyTables, type AnyRecord, type RecordTable, type Tables } from "../document/tables.ts";
import { damageText, missingChanges, TWICE, UNREADABLE, type Damage, nothingRead } from "../files/refusals.ts";
import { inReadView, type ReadView } from "../files/read-view.ts";
import { itemsOf } from "../files/document-reader.ts";
import type { Header } from "../files/header.ts";
import { journalHeaderOf, type Numbered, readJournals } from "../files/journal-lines.ts";

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
      tables: countsOf(found.tables),
      damage: [
        ...found.damage.map(damageText),
        ...invalidIn(found.tables, ([, part]) => (part as { fault?: string }).fault),
      ],
      dangling: danglingIn(found.tables).map(
        ({ entry: [name], key, missing }) => `${name} ${key} belongs to ${missing}, which isn't there`,
      ),
      notes: found.leftovers,
    };
  });
}

/** The key of a record, who it belongs to, and what is wrong with it: all records may not fit in memory. */
function checkedPart(entry: Entry): AnyRecord {
  const [name, record] = entry;
  const { id, instance_id, user_id } = record as Partial<SessionRecord>;
  const fault = recordFault(entry);
  const part = {
    id,
    instance_id,
    user_id,
    [keyColumn(name)]: keyOf(name, record),
    ...(fault !== undefined && { fault }),
  };
  return part as unknown as AnyRecord;
}

export function countsOf(tables: Tables): Record<TableName, number> {
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
export function danglingIn(tables: Tables): { entry: Entry; key: string; missing: string }[] {
  const references = new References();
  return TABLE_NAMES.flatMap((name) =>
    [...tables[name].values()].flatMap((record) => {
      const entry = [name, record] as Entry;
      const missing = references.missing(entry);
      return missing === undefined ? [] : [{ entry, key: shownKey(entry), missing }];
    }),
  );
}

/**
 * Reads each line of a store's files on its own. A change after a damaged line is still applied: it puts a complete
 * record or removes a key, and depends on nothing before it.
 * @param keep selects what to keep of each record: a large store's records may not fit in memory
 * @returns all that can be read, and what can't. `header` is undefined if there is no `db.json`, or its first line can't be
 * read; `sequence` is the number of the last change that was read; with `lostChanges`, some records have older values;
 * `leftovers` are remains of a crash, which the next start removes
 * @throws {StoreRefused} if it was written by a newer svc, or is not a store
 */
export async function scan(view: ReadView, keep: (entry: Entry) => AnyRecord = ([, record]) => record) {
  const { path, document } = view;
  const tables = emptyTables() as Readonly<Record<TableName, RecordTable<TableName>>>;
  const damage: Damage[] = [];
  const leftovers: string[] = [];
  let header: Header | undefined;
  if (document)
    for await (const items of itemsOf(document))
      for (const item of items) {
        if ("header" in item) header = item.header;
        else if ("damage" in item) damage.push(item.damage);
        else {
          const [name, record] = item.entry;
          if (tables[name].has(keyOf(name, record), instanceOf(record)!)) damage.push(item.damageAt(TWICE));
          else tables[name].set(keep(item.entry));
        }
      }

  const isSound = damage.length === 0;
  const numbered: Numbered[] = [];
  const inJournals: Damage[] = [];
  const read = await readJournals(
    view,
    await baseOf(view, header, isSound),
    (line) => numbered.push(line),
    (found) => inJournals.push(found),
  );
  if (read.torn) leftovers.push(`${read.torn.file} ends with an incomplete line. The next start drops it.`);
  damage.push(...inJournals);
  numbered.sort((a, b) => a.sequence - b.sequence);
  const isStore = header || read.header || numbered.length > 0 || TABLE_NAMES.some((name) => tables[name].size > 0);
  if (!isStore) throw nothingRead(path);
  // An altered document may have a wrong number; its journal's is right.
  const first = (numbered[0]?.sequence ?? Infinity) - 1;
  const told = header?.sequence ?? (document ? Infinity : 0);
  const start = isSound ? told : Math.min(told, first);
  let sequence = Number.isFinite(start) ? start : 0;
  let lostChanges = false;
  for (const line of numbered) {
    if (line.sequence <= sequence) continue;
    if (line.sequence > sequence + 1) {
      lostChanges = true;
      damage.push(gap(view, sequence, line.sequence));
    }
    for (const [action, name, subject, instance_id] of line.changes)
      if (action === "put") tables[name].set(keep([name, subject] as Entry));
      else tables[name].delete(subject, instance_id);
    sequence = line.sequence;
  }
  lostChanges ||= read.journalFault !== undefined || inJournals.some(({ what }) => what === UNREADABLE);
  return { header, sequence, tables: tables as unknown as Tables, damage, lostChanges, leftovers };
}

/** What the journals continue, as far as the document's first line can be trusted. */
async function baseOf(
  { document, old, journal }: ReadView,
  header: Header | undefined,
  isSound: boolean,
): Promise<Header | undefined | "unknown"> {
  if (!header) return document ? "unknown" : undefined;
  if (isSound) return header;
  // The first line itself may be altered. That does not make both of its ids those of another store.
  const found = await Promise.all([journalHeaderOf(old), journalHeaderOf(journal)]);
  const isForeign = found.some((file) => {
    const { store, id, after } = file?.header ?? {};
    return id !== undefined && store !== header.store && id !== header.journal && after !== header.journal;
  });
  return isForeign ? header : "unknown";
}

function gap({ path, document, old, journal }: ReadView, before: number, after: number): Damage {
  const what = missingChanges(before, after);
  if (!document && before === 0) return { file: path, what: `there is no such file, and ${what}` };
  return { file: (journal ?? old)!.path, what };
}
