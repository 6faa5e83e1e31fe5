import { byTable, MOVED_NAMES } from "../records.ts";
import { CLOCK_SETTING, type SnapshotInfo, type Snapshots } from "../store.ts";
import type { Commits } from "./document/commits.ts";
import { Document, type Content } from "./document/document.ts";
import type { Tables } from "./document/tables.ts";

/** The storage of copies. */
export interface SnapshotStorage extends Pick<Snapshots, "list" | "delete"> {
  put(info: SnapshotInfo, content: SavedContent): Promise<void>;
  take(name: string): Promise<SavedContent | undefined>;
}

type SavedContent = Required<Omit<Content, "states">>;

export function createSnapshots(document: Document, commits: Commits, storage: SnapshotStorage): Snapshots {
  return {
    list: () => storage.list(),

    async save(name, created_at) {
      await commits.settled();
      const records = byTable(MOVED_NAMES, (table) => document.tables[table].size);
      const info = { name, created_at, records };
      await storage.put(info, savedContent(document.tables));
      return info;
    },

    async restore(name, dropped) {
      const content = await storage.take(name);
      if (!content) return false;
      await commits.replace(() => {
        const kept = [...document.tables.settings.values()].filter(
          (setting) => setting.name !== CLOCK_SETTING && !(dropped !== undefined && setting.name.startsWith(dropped)),
        );
        return Document.of({ ...content, settings: [...kept, ...content.settings] });
      });
      return true;
    },

    delete: (name) => storage.delete(name),
  };
}

/** What is copied: the records and the clock. Records are never changed in their place, so a copy shares them. */
export function savedContent(tables: Tables): SavedContent {
  const records = byTable(MOVED_NAMES, (table) => [...tables[table].values()]) as SavedContent;
  return { ...records, settings: [...tables.settings.values()].filter(({ name }) => name === CLOCK_SETTING) };
}
