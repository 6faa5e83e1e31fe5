import { resolve } from "node:path";
import { keyOf, TABLE_NAMES, type Entry, type TableName } from "../records.ts";
import type { Source } from "../store.ts";
import type { AnyRecord, Change } from "./document.ts";
import { damaged, replay } from "./journal.ts";
import { pin, type Pinned } from "./pinned.ts";
import { readSnapshot, type Item } from "./snapshot-lines.ts";

const BATCH = 1000;

/**
 * A file store to be read whole. It takes no lock, changes nothing, and may be in use; `entries` throws where the store
 * is damaged.
 * @throws {StoreRefused}
 */
export async function openJsonSource(path: string): Promise<Source> {
  const pinned = await pin(resolve(path));
  try {
    const late = await lateChanges(pinned);
    return { location: pinned.path, entries: () => batches(entries(pinned, late)), close: () => pinned.close() };
  } catch (error) {
    await pinned.close();
    throw error;
  }
}

/** What became of the records that changed after the document was written, by their keys. */
type Late = Record<TableName, Map<string, { record: AnyRecord | undefined; isMoved: boolean }>>;

async function lateChanges({ snapshot, old, journal }: Pinned): Promise<Late> {
  const late = Object.fromEntries(TABLE_NAMES.map((name) => [name, new Map()])) as Late;
  let sequence = 0;
  if (snapshot)
    for await (const item of strictly(readSnapshot(snapshot))) {
      if (!("header" in item)) continue;
      sequence = item.header.sequence;
      break;
    }
  for (const file of [old, journal])
    if (file)
      ({ sequence } = await replay(
        file.path,
        sequence,
        (change) => note(late, change),
        () => {},
        file.lines(),
      ));
  return late;
}

/** A record that was deleted and made again is a new one, behind all others. */
function note(late: Late, [action, name, subject]: Change): void {
  const table = late[name];
  if (action === "delete") return void table.set(subject, { record: undefined, isMoved: true });
  const key = keyOf(name, subject);
  const before = table.get(key);
  if (before && !before.record) table.delete(key);
  table.set(key, { record: subject, isMoved: before?.isMoved ?? false });
}

async function* entries({ snapshot }: Pinned, late: Late): AsyncIterable<Entry> {
  const placed = new Set<string>();
  let next = 0;
  function* added(before: number): Iterable<Entry> {
    for (; next < before; next++) {
      const name = TABLE_NAMES[next]!;
      for (const [key, { record }] of late[name]) if (record && !placed.has(key)) yield [name, record] as Entry;
      placed.clear();
    }
  }
  if (snapshot)
    for await (const item of strictly(readSnapshot(snapshot))) {
      if (!("entry" in item)) continue;
      const [name, record] = item.entry;
      yield* added(TABLE_NAMES.indexOf(name));
      const key = keyOf(name, record);
      const change = late[name].get(key);
      if (!change) yield item.entry;
      if (!change?.record || change.isMoved) continue;
      placed.add(key);
      yield [name, change.record] as Entry;
    }
  yield* added(TABLE_NAMES.length);
}

async function* batches(all: AsyncIterable<Entry>): AsyncIterable<Entry[]> {
  let batch: Entry[] = [];
  for await (const entry of all) {
    if (entry[0] !== "states") batch.push(entry);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* strictly(items: AsyncIterable<Item>): AsyncIterable<Exclude<Item, { damage: unknown }>> {
  for await (const item of items) {
    if (!("damage" in item)) yield item;
    else
      throw damaged(
        item.damage.file,
        item.damage.line > 0 ? `line ${item.damage.line}: ${item.damage.what}` : item.damage.what,
      );
  }
}
