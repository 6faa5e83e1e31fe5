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
import type { AnyRecord, Change } from "../document/tables.ts";
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
    const late: Late = byTable(TABLE_NAMES, () => new Map());
    const base = view.document && (await requireHeader(view.document));
    await replay(view, base, (change) => note(late, change));
    return { location: view.path, entries: () => entries(view, late), close: () => view.close() };
  } catch (error) {
    await view.close();
    throw error;
  }
}

/** The records that changed after the document was written, by instance and key. */
type Late = Record<TableName, Map<string, { record: AnyRecord | undefined; isMoved: boolean }>>;

/** Journals of older stores, in which keys are unique, remove a key of any instance. */
function placeOf(name: TableName, key: string, instance_id: string | undefined): string {
  return isTenantName(name) && instance_id !== undefined ? `${instance_id}\0${key}` : key;
}

function find(late: Late, name: TableName, record: AnyRecord) {
  const key = keyOf(name, record);
  const place = placeOf(name, key, instanceOf(record));
  return { place, change: late[name].get(place) ?? late[name].get(key) };
}

/** A record that was deleted and created again is a new one, behind all others. */
function note(late: Late, [action, name, subject, instance_id]: Change): void {
  const table = late[name];
  if (action === "delete") {
    const gone = { record: undefined, isMoved: true };
    if (isTenantName(name) && instance_id === undefined)
      for (const place of table.keys()) if (place.endsWith(`\0${subject}`)) table.set(place, gone);
    return void table.set(placeOf(name, subject, instance_id), gone);
  }
  const { place, change: before } = find(late, name, subject);
  if (before && !before.record) table.delete(place);
  table.set(place, { record: subject, isMoved: before?.isMoved ?? false });
}

async function* entries({ document }: ReadView, late: Late): AsyncIterable<readonly Entry[]> {
  const placed = new Set<string>();
  let next = 0;
  /** What came to be in the tables before one, after the document was written. */
  function added(before: number): Entry[] {
    const found: Entry[] = [];
    for (; next < before; next++) {
      const name = TABLE_NAMES[next]!;
      for (const [place, { record }] of late[name])
        if (record && !placed.has(place)) found.push([name, record] as Entry);
      placed.clear();
    }
    return found;
  }
  function current(item: Item): Entry[] {
    if ("damage" in item) throw refusalOf(item.damage);
    if ("header" in item) return [];
    const [name, record] = item.entry;
    const before = added(TABLE_NAMES.indexOf(name));
    const { place, change } = find(late, name, record);
    if (!change) return [...before, item.entry];
    if (!change.record || change.isMoved) return before;
    placed.add(place);
    return [...before, [name, change.record] as Entry];
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
