import { recordFault, References, shownKey } from "../record-faults.ts";
import { TABLE_NAMES, STORE_VERSION } from "../records.ts";
import type { StoreCheck } from "../maintenance.ts";
import { entriesOf, type Tables } from "../memory/tables.ts";
import type { Warn } from "../store.ts";
import { journalName, sizeOf } from "./directory.ts";
import { openFiles } from "./open-files.ts";
import { readExisting } from "./read.ts";

/**
 * Reads a file store whole. It takes no lock, changes nothing, and a server may be using the store.
 * @throws {StoreRefused} if there is none, or an svc with another layout wrote it
 */
export async function checkFileStore(location: string): Promise<StoreCheck> {
  const { path, low, number, faults, doubts, torn } = await readExisting(location);
  return {
    location: path,
    kind: `file, format ${STORE_VERSION}`,
    bytes: sizeOf(path) + sizeOf(journalName(path)),
    sequence: number,
    tables: low.data.counts(),
    damage: [...faults, ...invalidIn(low.data)],
    dangling: danglingIn(low.data),
    doubts,
    notes: torn === undefined ? [] : [`${torn}. The next start drops it.`],
  };
}

/**
 * Takes a store whose `db.json` its owner has changed, as if svc had written it.
 * @throws {StoreRefused} if it is in use, or anything in it is not valid
 */
export async function acceptFileStore(location: string, warn: Warn): Promise<void> {
  const { path } = await readExisting(location);
  await (await openFiles(path, { warn, accepts: true })).close();
}

function invalidIn(tables: Tables): string[] {
  return [...entriesOf(tables, TABLE_NAMES)].flatMap((entry) => {
    const fault = recordFault(entry);
    return fault === undefined ? [] : [`${fault}. Correct it in db.json, or restore a backup.`];
  });
}

function danglingIn(tables: Tables): string[] {
  const references = new References();
  return [...entriesOf(tables, TABLE_NAMES)].flatMap((entry) => {
    const missing = references.missing(entry);
    return missing === undefined ? [] : [`${entry[0]} ${shownKey(entry)} belongs to ${missing}, which isn't there`];
  });
}
