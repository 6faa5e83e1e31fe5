import { rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Low } from "lowdb";
import { VERSION, type Entry } from "../../records.ts";
import type { Target } from "../../maintenance.ts";
import { StoreRefused } from "../../store.ts";
import {
  followed,
  journalName,
  makeDirectory,
  notWritten,
  oldName,
  unfinished,
  unfinishedName,
} from "../files/directory.ts";
import type { Change } from "../document/change.ts";
import { Document } from "../document/document.ts";
import { FILLED, newId, parseJournalHeader } from "../files/header.ts";
import { decodeLine, encodeLine } from "../files/journal-line.ts";
import { Journal } from "../files/journal.ts";
import { eachLine, readFrom } from "../files/lines.ts";
import { lockStore } from "../files/lock.ts";
import { syncDirectory } from "../../../../disk/sync-directory.ts";
import { DocumentFile } from "../files/document-file.ts";

/**
 * A file store that is being filled. The entries go to a journal beside it, one line for each `put`, which becomes its
 * `db.json` at the end. The store is locked until `close`.
 * @throws {StoreRefused}
 */
export async function openJsonTarget(location: string): Promise<Target> {
  const path = await followed(resolve(location));
  await makeDirectory(dirname(path));
  const lock = await lockStore(path).catch((error: unknown) => {
    throw error instanceof StoreRefused ? error : notWritten(path, error);
  });
  let incoming: { readonly name: string; readonly journal: Journal; sequence: number } | undefined;

  return {
    location: path,

    async begin(fingerprint) {
      const name = unfinishedName(path, fingerprint);
      await refuseFull(path);
      try {
        for (const other of await unfinished(path)) if (other !== name) await rm(other);
        const kept = await readIncoming(name, () => {});
        incoming = { name, sequence: kept.sequence, journal: await Journal.open(name, kept.length) };
        await syncDirectory(dirname(path));
        return kept.count;
      } catch (error) {
        throw notWritten(path, error);
      }
    },

    async put(entries) {
      const { journal, sequence } = incoming!;
      await journal.append(encodeLine(sequence + 1, entries.map(put)));
      incoming!.sequence++;
    },

    async finish() {
      const { name } = incoming!;
      const document = new Document();
      await readIncoming(name, (change) => document.apply(change));
      try {
        const [store, id] = [newId(), newId()];
        const journal = await Journal.begin(journalName(path), { store, id, after: null, sequence: FILLED });
        await journal.close();
        const file = new DocumentFile(path, document);
        file.header = { version: VERSION, store, journal: id, sequence: FILLED };
        await new Low(file, document).write();
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

/** What came in so far, up to the first line that is not as it was written. */
async function readIncoming(
  path: string,
  apply: (change: Change) => void,
): Promise<{ sequence: number; length: number; count: number }> {
  let [sequence, length, count] = [0, 0, 0];
  await eachLine(readFrom(path), ({ bytes, offset, isWhole }) => {
    const size = bytes.length;
    const line = isWhole && length === offset ? decodeLine(bytes) : undefined;
    if (line?.sequence !== sequence + 1) return;
    sequence = line.sequence;
    length = offset + size + 1;
    count += line.changes.length;
    line.changes.forEach(apply);
  });
  return { sequence, length, count };
}

function put(entry: Entry): Change {
  return ["put", ...entry] as unknown as Change;
}

async function refuseFull(path: string): Promise<void> {
  for (const name of [path, oldName(path), journalName(path)]) {
    const there = await stat(name).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw notWritten(path, error);
    });
    const isEmpty = !there || (name === journalName(path) && (await isUnused(name)));
    if (!isEmpty)
      throw new StoreRefused(
        "unusable",
        `${path} is not empty. Nothing was changed. Move it away, or choose another path.`,
      );
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
