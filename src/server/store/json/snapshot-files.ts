import { constants } from "node:fs";
import { chmod, lstat, open, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Low } from "lowdb";
import { createDirectories, syncDirectory } from "../../../disk/write-atomically.ts";
import type { SettingRecord } from "../records.ts";
import { StorageUnavailable, type SnapshotInfo } from "../store.ts";
import { NO_LINK } from "./files/directory.ts";
import { Document } from "./document/document.ts";
import { notWritable } from "./files/refusals.ts";
import { BEGINNING } from "./files/header.ts";
import { chunksOf, lineBatches, parseObject, unseal, withoutComma } from "./files/lines.ts";
import { DocumentFile } from "./files/document-file.ts";
import { Patience } from "./files/patience.ts";
import { savedContent, type SnapshotStorage } from "./document-store.ts";

const INFO = "snapshot";
const ENDING = ".json";

/** The setting with the id of a snapshot's store. */
interface Info extends SnapshotInfo {
  readonly store: string;
}

/**
 * Snapshots beside a file store, in `<store>.snapshots/`: each is a file in the store's format, with an additional setting
 * that describes it.
 * @param path of the `db.json`
 * @param storeId the id of the store; snapshots of other stores are refused
 */
export function createSnapshotFiles(path: string, storeId: () => Promise<string>): SnapshotStorage {
  const directory = join(dirname(path), `${basename(path, ".json")}.snapshots`);
  const patience = new Patience(directory);
  const fileOf = (name: string): string => join(directory, name + ENDING);

  /** Undefined if there is none, or it is not this store's. */
  async function infoOf(name: string): Promise<Info | undefined> {
    const handle = await open(fileOf(name), constants.O_RDONLY | constants.O_NONBLOCK | NO_LINK).catch(() => undefined);
    if (!handle) return undefined;
    try {
      if (!(await handle.stat()).isFile()) return undefined;
      for await (const lines of lineBatches(chunksOf(handle)))
        for (const { bytes } of lines) {
          const info = infoIn(bytes);
          if (info) return info.store === (await storeId()) && info.name === name ? info : undefined;
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
      return infos
        .filter((info) => info !== undefined)
        .map(({ name, created_at, records }) => ({ name, created_at, records }));
    },

    async put(info, content) {
      const store = await storeId();
      const about: SettingRecord = { name: INFO, value: { ...info, store } };
      const document = Document.of({ ...content, settings: [about, ...content.settings] });
      try {
        await makeDirectory(directory);
        const file = new DocumentFile(fileOf(info.name), document);
        file.header = { ...BEGINNING, store };
        await patience.run((isGivenUp) => new Low(file.unless(isGivenUp), document).write(), document.size);
      } catch (error) {
        throw error instanceof StorageUnavailable ? error : notWritable(fileOf(info.name), error);
      }
    },

    async take(name) {
      if (!(await infoOf(name))) return undefined;
      const document = new Document();
      const file = new DocumentFile(fileOf(name), document);
      await new Low(file, document).read();
      // Another process has deleted it since.
      return file.header === BEGINNING ? undefined : savedContent(document.tables);
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

/** A snapshot's description, if the line has it. */
function infoIn(line: Buffer): Info | undefined {
  if (!line.subarray(0, 40).includes(`"name":"${INFO}"`)) return undefined;
  return parseObject(unseal(Buffer.from(withoutComma(line))))?.["value"] as Info | undefined;
}

async function makeDirectory(directory: string): Promise<void> {
  const made = await createDirectories(directory, 0o700);
  if ((await lstat(directory)).isSymbolicLink())
    throw new StorageUnavailable(`${directory} is a link; snapshots are not written through one`);
  if (made !== undefined) await syncDirectory(dirname(directory));
  else await chmod(directory, 0o700);
}
