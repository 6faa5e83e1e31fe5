import { byTable, instanceOf, keyOf, TABLE_NAMES, type Entry, type TableName } from "../../records.ts";
import type { AnyRecord, Tables } from "../document/change.ts";
import { RecordTable } from "../document/record-table.ts";
import { missingChanges, TWICE, UNREADABLE, type Damage } from "../files/damage.ts";
import { itemsOf } from "../files/document-reader.ts";
import type { Header } from "../files/header.ts";
import { journalHeaderOf, type Numbered } from "../files/journal-lines.ts";
import { nothingRead } from "../files/refusals.ts";
import type { ReadView } from "../files/read-view.ts";
import { readJournals } from "../files/read-journals.ts";

/** All that can be read of a store, and what can't. */
export interface Scan {
  /** Undefined if there is no `db.json`, or its first line can't be read. */
  readonly header: Header | undefined;
  /** The number of the last change that was read. */
  readonly sequence: number;
  readonly tables: Tables;
  readonly damage: readonly Damage[];
  /** Whether changes are lost, so that some records have older values. */
  readonly lostChanges: boolean;
  /** Remains of a crash, which the next start removes. */
  readonly leftovers: readonly string[];
}

/**
 * Reads each line of a store's files on its own. A change after a damaged line is still applied: it puts a complete
 * record or removes a key, and depends on nothing before it.
 * @param keep selects what to keep of each record: a large store's records may not fit in memory
 * @throws {StoreRefused} if it was written by a newer svc, or is not a store
 */
export async function scan(view: ReadView, keep: (entry: Entry) => AnyRecord = ([, record]) => record): Promise<Scan> {
  const { path, document } = view;
  const tables = byTable(TABLE_NAMES, (name) => new RecordTable<TableName>(name));
  const damage: Damage[] = [];
  const leftovers: string[] = [];
  let header: Header | undefined;
  if (document)
    for await (const items of itemsOf(document))
      for (const item of items) {
        if ("header" in item) header = item.header;
        else if ("damage" in item) damage.push(item.damage);
        else {
          const { entry, damageAt } = item;
          const [name, record] = entry;
          const key = keyOf(name, record);
          if (tables[name].has(key, instanceOf(record))) damage.push(damageAt(TWICE));
          else tables[name].set(key, keep(entry));
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
      if (action === "put") tables[name].set(keyOf(name, subject), keep([name, subject] as Entry));
      else tables[name].delete(subject, instance_id);
    sequence = line.sequence;
  }
  lostChanges ||= read.journalFault !== undefined || inJournals.some(({ what }) => what === UNREADABLE);
  return { header, sequence, tables: tables as Tables, damage, lostChanges, leftovers };
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
