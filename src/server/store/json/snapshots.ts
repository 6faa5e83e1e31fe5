import { byTable, MOVED_NAMES, type Records, type SettingRecord } from "../records.ts";
import { CLOCK_SETTING, type SnapshotInfo, type Snapshots } from "../store.ts";
import type { Tables } from "./document/tables.ts";
import type { Commits } from "./document/commits.ts";
import { Document } from "./document/document.ts";

/** A copy of a store's content. Records are never changed in their place, so it shares them with the store. */
export interface SavedContent {
  readonly info: SnapshotInfo;
  readonly records: Records;
  readonly clock: SettingRecord | undefined;
}

/** The storage of copies. */
export interface SnapshotStorage {
  list(): Promise<SnapshotInfo[]>;
  put(content: SavedContent): Promise<void>;
  take(name: string): Promise<SavedContent | undefined>;
  remove(name: string): Promise<boolean>;
}

export function createSnapshots(document: Document, commits: Commits, snapshotStorage: SnapshotStorage): Snapshots {
  return {
    list: () => snapshotStorage.list(),

    async save(name, created_at) {
      await commits.settled();
      const content = contentOf(document, name, created_at);
      await snapshotStorage.put(content);
      return content.info;
    },

    async restore(name, dropped) {
      const content = await snapshotStorage.take(name);
      if (!content) return false;
      await commits.replace(() => {
        const kept = [...document.tables.settings.values()].filter(
          (setting) => setting.name !== CLOCK_SETTING && !(dropped !== undefined && setting.name.startsWith(dropped)),
        );
        return Document.of({ ...content.records, settings: content.clock ? [...kept, content.clock] : kept });
      });
      return true;
    },

    delete: (name) => snapshotStorage.remove(name),
  };
}

/** In memory, for a store that is there itself. */
export function createSnapshotMemory(): SnapshotStorage {
  const saved = new Map<string, SavedContent>();
  return {
    list: async () => [...saved.values()].map(({ info }) => info).filter(({ name }) => !name.startsWith(".")),
    put: async (content) => void saved.set(content.info.name, content),
    take: async (name) => saved.get(name),
    remove: async (name) => saved.delete(name),
  };
}

/** The records of a document that are moved and copied. */
export function recordsOf(tables: Tables): Records {
  return byTable(MOVED_NAMES, (table) => [...tables[table].values()]) as Records;
}

function contentOf({ tables }: Document, name: string, created_at: string): SavedContent {
  const counts = byTable(MOVED_NAMES, (table) => tables[table].size);
  return {
    info: { name, created_at, records: counts },
    records: recordsOf(tables),
    clock: tables.settings.get(CLOCK_SETTING),
  };
}
