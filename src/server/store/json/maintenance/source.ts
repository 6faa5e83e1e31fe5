import { resolve } from "node:path";
import {
  byTable,
  instanceOf,
  isTenantName,
  keyOf,
  MOVED_NAMES,
  TABLE_NAMES,
  type Entry,
  type TableName,
} from "../../records.ts";
import type { Source } from "../../maintenance.ts";
import { emptyTables, type AnyRecord, type Change, type RecordTable } from "../document/tables.ts";
import { refusalOf } from "../files/refusals.ts";
import { replay } from "../files/journal-lines.ts";
import { openReadView, type ReadView } from "../files/read-view.ts";
import { inPieces } from "../files/document-file.ts";
import { itemsOf, requireHeader, type Item } from "../files/document-reader.ts";

const BATCH = 1000;

/**
 * Opens a file store for reading as a whole. It takes no lock, changes nothing, and may be in use. `entries` throws if the
 * store is damaged.
 * @throws {StoreRefused}
 */
export async function openJsonSource(path: string): Promise<Source> {
  const view = await openReadView(resolve(path));
  try {
    const late: Late = { tables: emptyTables() as Late["tables"], gone: byTable(TABLE_NAMES, () => new Set()) };
    const base = view.document && (await requireHeader(view.document));
    await replay(view, base, (change) => note(late, change));
    return { location: view.path, entries: () => entries(view, late), close: () => view.close() };
  } catch (error) {
    await view.close();
    throw error;
  }
}

/** What the journals changed: the records as they are now, and the places in the document whose records were removed. */
interface Late {
  readonly tables: Readonly<Record<TableName, RecordTable<TableName>>>;
  readonly gone: Readonly<Record<TableName, Set<string>>>;
}

/** Journals of older stores, in which keys are unique, remove a key of any instance. */
function placeOf(name: TableName, key: string, instance_id: string | undefined): string {
  return isTenantName(name) && instance_id !== undefined ? `${instance_id}\0${key}` : key;
}

/** A record that was deleted and created again is a new one, behind all others. */
function note({ tables, gone }: Late, [action, name, subject, instance_id]: Change): void {
  if (action === "put") return void tables[name].set(subject);
  tables[name].delete(subject, instance_id);
  gone[name].add(placeOf(name, subject, instance_id));
}

async function* entries({ document }: ReadView, { tables, gone }: Late): AsyncIterable<readonly Entry[]> {
  const placed = new Set<AnyRecord>();
  let next = 0;
  /** What came to be in the tables before one, after the document was written. */
  function added(before: number): Entry[] {
    const names = TABLE_NAMES.slice(next, before);
    next = Math.max(next, before);
    return names.flatMap((name) =>
      [...tables[name].values()].filter((record) => !placed.has(record)).map((record) => [name, record] as Entry),
    );
  }
  function current(item: Item): Entry[] {
    if ("damage" in item) throw refusalOf(item.damage);
    if ("header" in item) return [];
    const [name, record] = item.entry;
    const before = added(TABLE_NAMES.indexOf(name));
    const [key, instance_id] = [keyOf(name, record), instanceOf(record)];
    if (gone[name].has(key) || gone[name].has(placeOf(name, key, instance_id))) return before;
    const changed = tables[name].get(key, instance_id!);
    if (changed) placed.add(changed);
    return [...before, [name, changed ?? record] as Entry];
  }
  if (document) for await (const items of itemsOf(document)) yield* moved(items.flatMap(current));
  yield* moved(added(TABLE_NAMES.length));
}

function moved(all: readonly Entry[]): Iterable<readonly Entry[]> {
  return inPieces(
    all.filter(([name]) => (MOVED_NAMES as readonly TableName[]).includes(name)),
    BATCH,
  );
}
