import { byTable, MOVED_NAMES } from "../records.ts";
import { CLOCK_SETTING, type SnapshotInfo, type SnapshotStore } from "../store.ts";
import type { Commits } from "./commits.ts";
import { Tables, type Content } from "./tables.ts";

export interface SnapshotStorage extends Pick<SnapshotStore, "list" | "delete"> {
  put(info: SnapshotInfo, content: Tables): Promise<void>;
  take(name: string): Promise<Tables | undefined>;
}

export function createSnapshotMemory(): SnapshotStorage {
  const saved = new Map<string, { info: SnapshotInfo; content: Tables }>();
  return {
    list: async () => [...saved.values()].map(({ info }) => info).filter(({ name }) => !name.startsWith(".")),
    put: async (info, content) => void saved.set(info.name, { info, content }),
    take: async (name) => saved.get(name)?.content,
    delete: async (name) => saved.delete(name),
  };
}

export function createSnapshots(commits: Commits, storage: SnapshotStorage): SnapshotStore {
  return {
    list: () => storage.list(),

    async save(name, created_at) {
      await commits.written();
      const content = contentOf(commits.tables);
      const records = byTable(MOVED_NAMES, (table) => content[table]!.length);
      const info = { name, created_at, records };
      await storage.put(info, Tables.of(content));
      return info;
    },

    async restore(name, dropped) {
      const saved = await storage.take(name);
      if (!saved) return false;
      await commits.replace(() => {
        const content = contentOf(saved);
        const kept = [...commits.tables.settings.values()].filter(
          (setting) => setting.name !== CLOCK_SETTING && !(dropped !== undefined && setting.name.startsWith(dropped)),
        );
        return Tables.of({ ...content, settings: [...kept, ...content.settings!] });
      });
      return true;
    },

    delete: (name) => storage.delete(name),
  };
}

/** What is copied: the records and the clock. */
function contentOf(tables: Tables): Content {
  const records = byTable(MOVED_NAMES, (table) => tables.records(table)) as Content;
  return { ...records, settings: [...tables.settings.values()].filter(({ name }) => name === CLOCK_SETTING) };
}
