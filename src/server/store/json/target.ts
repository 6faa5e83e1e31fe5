import { rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Entry } from "../records.ts";
import { StoreRefused, type Target } from "../store.ts";
import { followed, journalName, makeDirectory, notWritten, oldName, unfinished, unfinishedName } from "./directory.ts";
import { Document, type Change } from "./document.ts";
import { encodeLine, Journal, replay } from "./journal.ts";
import { lockStore } from "./lock.ts";
import { Snapshot, syncDirectory } from "./snapshot.ts";

/**
 * A file store to be filled from elsewhere. What comes in gathers in a journal beside it, one line for each `put`, and
 * becomes its `db.json` at the end. The store is held until `close`.
 * @throws {StoreRefused}
 */
export async function openJsonTarget(location: string): Promise<Target> {
  const path = await followed(resolve(location));
  await makeDirectory(dirname(path));
  const lock = await lockStore(path).catch((error: unknown) => {
    throw error instanceof StoreRefused ? error : notWritten(path, error);
  });
  let incoming: { readonly name: string; readonly journal: Journal; sequence: number } | undefined;
  const ignore = (): void => {};

  return {
    location: path,

    async begin(fingerprint) {
      const name = unfinishedName(path, fingerprint);
      await refuseFull(path);
      try {
        for (const other of await unfinished(path)) if (other !== name) await rm(other);
        let count = 0;
        const { sequence, length } = await replay(name, 0, () => count++, ignore).catch(() => {
          // An attempt that is damaged is no beginning.
          count = 0;
          return { sequence: 0, length: 0 };
        });
        incoming = { name, sequence, journal: await Journal.open(name, length) };
        await syncDirectory(dirname(path));
        return count;
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
      await replay(name, 0, (change) => document.apply(change), ignore);
      try {
        await new Snapshot(path, document).write(document);
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

function put(entry: Entry): Change {
  return ["put", ...entry] as unknown as Change;
}

async function refuseFull(path: string): Promise<void> {
  for (const name of [path, oldName(path), journalName(path)]) {
    const there = await stat(name).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw notWritten(path, error);
    });
    const isEmpty = !there || (name === journalName(path) && there.size === 0);
    if (!isEmpty)
      throw new StoreRefused(
        "unusable",
        `${path} holds something already. Nothing was changed. Move it away, or name another place.`,
      );
  }
}
