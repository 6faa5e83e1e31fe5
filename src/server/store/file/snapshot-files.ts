import { constants } from "node:fs";
import { chmod, lstat, open, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Low } from "lowdb";
import { createDirectories, syncDirectory } from "../../../disk/write-atomically.ts";
import { byTable, MOVED_NAMES } from "../records.ts";
import { StorageUnavailable, type SnapshotInfo } from "../store.ts";
import type { SnapshotStorage } from "../memory/snapshots.ts";
import { Tables } from "../memory/tables.ts";
import { NO_LINK } from "./directory.ts";
import { DocumentFile } from "./document.ts";
import { headingOf, newId, openingOf } from "./headings.ts";
import { lineChunksOf, linesOf } from "./lines.ts";
import { damagedStore, notWritable } from "./refusals.ts";

const ENDING = ".json";

/**
 * Snapshots beside a file store, in `<store>.snapshots/`: each is a file like its `db.json`, whose heading describes it.
 * @param path of the `db.json`
 * @param store the id of the store; snapshots of other stores are refused
 */
export function createSnapshotFiles(path: string, store: string): SnapshotStorage {
  const directory = join(dirname(path), `${basename(path, ".json")}.snapshots`);
  const fileOf = (name: string): string => join(directory, name + ENDING);

  /** Undefined if there is none, or it is not this store's. */
  async function infoOf(name: string): Promise<SnapshotInfo | undefined> {
    const handle = await open(fileOf(name), constants.O_RDONLY | constants.O_NONBLOCK | NO_LINK).catch(() => undefined);
    if (!handle) return undefined;
    try {
      if (!(await handle.stat()).isFile()) return undefined;
      for await (const [first] of linesOf(lineChunksOf(handle))) {
        const heading = first && headingOf(openingOf(first.bytes));
        if (!first) continue;
        if (heading?.store !== store || heading.snapshot?.name !== name) return undefined;
        return { ...heading.snapshot, records: byTable(MOVED_NAMES, (table) => heading.records[table]) };
      }
      return undefined;
    } finally {
      await handle.close();
    }
  }

  return {
    async list() {
      const files = await readdir(directory).catch(() => []);
      const names = files.filter((file) => file.endsWith(ENDING) && !file.startsWith("."));
      const infos = await Promise.all(names.map((file) => infoOf(file.slice(0, -ENDING.length))));
      return infos.filter((info) => info !== undefined);
    },

    async put({ name, created_at }, content) {
      try {
        await makeDirectory(directory);
        const file = new DocumentFile(fileOf(name));
        file.heading = { store, journal: newId(), number: 0, snapshot: { name, created_at } };
        await new Low(file, content).write();
      } catch (error) {
        throw notWritable(fileOf(name), error);
      }
    },

    async take(name) {
      if (!(await infoOf(name))) return undefined;
      const file = new DocumentFile(fileOf(name));
      const low = new Low(file, new Tables());
      await low.read();
      const { isAsWritten, faults } = file.content ?? { isAsWritten: false, faults: ["it is missing"] };
      if (isAsWritten) return low.data;
      throw damagedStore(path, [`${fileOf(name)}: ${faults[0] ?? "it was changed since svc wrote it"}`]);
    },

    async delete(name) {
      if (!(await infoOf(name))) return false;
      try {
        await rm(fileOf(name));
        await syncDirectory(directory);
      } catch (error) {
        throw notWritable(fileOf(name), error);
      }
      return true;
    },
  };
}

async function makeDirectory(directory: string): Promise<void> {
  const made = await createDirectories(directory, 0o700);
  if ((await lstat(directory)).isSymbolicLink())
    throw new StorageUnavailable(`${directory} is a link; snapshots are not written through one`);
  if (made !== undefined) await syncDirectory(dirname(directory));
  else await chmod(directory, 0o700);
}
