import { resolve } from "node:path";
import { References, shownKey } from "../record-faults.ts";
import { MOVED_NAMES, type Entry } from "../records.ts";
import type { Source, FillTarget } from "../maintenance.ts";
import { refuseConflict } from "../memory/conflicts.ts";
import { entriesOf, Tables } from "../memory/tables.ts";
import { Conflict, type Warn } from "../store.ts";
import { followed } from "./directory.ts";
import type { Files } from "./files.ts";
import { openFiles } from "./open-files.ts";
import { readExisting } from "./read.ts";
import { damagedStore, doubtfulStore, notWritten, twice } from "./refusals.ts";

const BATCH = 1000;

/** A file store, read as a whole. It takes no lock, changes nothing, and may be in use. @throws {StoreRefused} */
export async function openFileSource(location: string): Promise<Source> {
  const { path, low, faults, doubts } = await readExisting(location);
  if (faults.length > 0) throw damagedStore(path, faults);
  if (doubts.length > 0) throw doubtfulStore(path, doubts);
  return sourceOf(path, [...entriesOf(low.data, MOVED_NAMES)]);
}

/**
 * What can be read of a damaged file store, without what belongs to a record that can't.
 * @param warn called with a sentence for each place, and for each record that is left out
 */
export async function openReadableSource(location: string, warn: Warn): Promise<Source> {
  const { path, low, faults, doubts } = await readExisting(location, ({ message }) => warn(message));
  for (const fault of [...faults, ...doubts]) warn(`${fault}.`);
  const references = new References();
  const entries = [...entriesOf(low.data, MOVED_NAMES)].filter((entry) => {
    const missing = references.missing(entry);
    if (missing !== undefined) warn(`${entry[0]} ${shownKey(entry)} is left out: it belongs to ${missing}.`);
    return missing === undefined;
  });
  return sourceOf(path, entries);
}

function sourceOf(location: string, entries: readonly Entry[]): Source {
  return {
    location,
    async *entries() {
      for (let start = 0; start < entries.length; start += BATCH) yield entries.slice(start, start + BATCH);
    },
    close: async () => {},
  };
}

/** An empty file store that is being filled. It has all of it at the end, or nothing. */
export async function openFileTarget(location: string, warn: Warn): Promise<FillTarget> {
  const path = await followed(resolve(location));
  const tables = new Tables();
  let files: Files | undefined;
  return {
    location: path,
    async begin() {
      files = await openFiles(path, { warn, mustBeEmpty: true });
      return 0;
    },
    async put(entries) {
      for (const entry of entries) add(path, tables, entry);
    },
    async finish() {
      tables.sort();
      await files!.replace(tables).catch((error: unknown) => {
        throw notWritten(path, error);
      });
    },
    close: async () => files?.close(),
  };
}

function add(path: string, tables: Tables, entry: Entry): void {
  try {
    refuseConflict(tables, entry);
  } catch (error) {
    throw error instanceof Conflict ? twice(path, error) : error;
  }
  tables.load(entry[0], entry[1]);
}
