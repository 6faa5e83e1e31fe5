import { rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { instanceOf, isTenantName, keyOf, VERSION, type TableName } from "../../records.ts";
import type { Target } from "../../maintenance.ts";
import {
  absent,
  filesOf,
  followed,
  journalName,
  makeDirectory,
  unfinished,
  unfinishedName,
} from "../files/directory.ts";
import type { AnyRecord, Change } from "../document/tables.ts";
import { FILLED, newId, parseJournalHeader } from "../files/header.ts";
import { decodeLine, encodeLine } from "../files/journal-lines.ts";
import { Journal } from "../files/journal.ts";
import { eachLine, lineBatches, readFrom } from "../files/lines.ts";
import { lockStore } from "../files/lock.ts";
import { notEmpty, notWritten, sameKeys } from "../files/refusals.ts";
import { syncDirectory } from "../../../../disk/write-atomically.ts";
import { writeDocument } from "../files/document-file.ts";

/**
 * A file store that is being filled. The entries go to a journal beside it, one line for each `put`, which becomes its
 * `db.json` at the end. The store is locked until `close`.
 * @throws {StoreRefused}
 */
export async function openJsonTarget(location: string): Promise<Target> {
  const path = await followed(resolve(location));
  await makeDirectory(dirname(path));
  const lock = await lockStore(path).catch((error: unknown) => {
    throw notWritten(path, error);
  });
  let incoming: { readonly name: string; readonly journal: Journal; sequence: number } | undefined;

  return {
    location: path,

    async begin(fingerprint) {
      const name = unfinishedName(path, fingerprint);
      await refuseFull(path);
      try {
        for (const other of await unfinished(path)) if (other !== name) await rm(other);
        const kept = await readIncoming(name);
        incoming = { name, sequence: kept.sequence, journal: await Journal.open(name, kept.length) };
        await syncDirectory(dirname(path));
        return kept.count;
      } catch (error) {
        throw notWritten(path, error);
      }
    },

    async put(entries) {
      const { journal, sequence } = incoming!;
      const changes = entries.map(([name, record]): Change => ["put", name, record]);
      await journal.append(encodeLine(sequence + 1, changes));
      incoming!.sequence++;
    },

    async finish() {
      const { name } = incoming!;
      try {
        const [store, id] = [newId(), newId()];
        await (await Journal.begin(journalName(path), { store, id, after: null, sequence: FILLED })).close();
        const header = { version: VERSION, store, journal: id, sequence: FILLED };
        await writeDocument(path, header, (table) => cameIn(name, path, table));
        await rm(name);
        await syncDirectory(dirname(path));
      } catch (error) {
        throw notWritten(path, error);
      }
    },

    async close() {
      await incoming?.journal.close();
      await lock.release();
    },
  };
}

/** How much came in so far, up to the first line that is not as it was written. */
async function readIncoming(path: string): Promise<{ sequence: number; length: number; count: number }> {
  let [sequence, length, count] = [0, 0, 0];
  await eachLine(readFrom(path), ({ bytes, offset, isWhole }) => {
    const size = bytes.length;
    const line = isWhole && length === offset ? decodeLine(bytes) : undefined;
    if (line?.sequence !== sequence + 1) return;
    sequence = line.sequence;
    length = offset + size + 1;
    count += line.changes.length;
  }).catch(absent);
  return { sequence, length, count };
}

/**
 * The records of a table that came in. The file is read anew for each, because all records would not fit in memory.
 * @throws {StoreRefused} if two have the same key
 */
async function* cameIn(name: string, path: string, table: TableName): AsyncIterable<AnyRecord[]> {
  const mark = Buffer.from(JSON.stringify(["put", table]).slice(0, -1));
  const keys = new Set<string>();
  for await (const lines of lineBatches(readFrom(name)))
    for (const { bytes } of lines) {
      const changes = bytes.includes(mark) ? decodeLine(bytes)!.changes : [];
      const rows = changes.flatMap((change) => (change[0] === "put" && change[1] === table ? [change[2]] : []));
      for (const row of rows) {
        const key = keyOf(table, row);
        const place = isTenantName(table) ? `${instanceOf(row)} ${key}` : key;
        if (keys.has(place)) throw sameKeys(path, table, key);
        keys.add(place);
      }
      yield rows;
    }
}

async function refuseFull(path: string): Promise<void> {
  for (const name of filesOf(path)) {
    const there = await stat(name).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw notWritten(path, error);
    });
    const isEmpty = !there || (name === journalName(path) && (await isUnused(name)));
    if (!isEmpty) throw notEmpty(path);
  }
}

/** Whether a journal is empty, or a store's first one. */
async function isUnused(path: string): Promise<boolean> {
  let isNew = true;
  await eachLine(readFrom(path), ({ bytes, offset }) => {
    isNew &&= offset === 0 && parseJournalHeader(bytes)?.after === null;
  });
  return isNew;
}
