import { byTable, MOVED_NAMES, TENANT_NAMES, type TenantCounts } from "../records.ts";
import { CLOCK_SETTING, Conflict, type SnapshotInfo, type SnapshotStore } from "../store.ts";
import type { Commits } from "./commits.ts";
import { contentWithout, Tables, type Content } from "./tables.ts";

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

    countsOf: async (name, instance_id) => countsIn(await storage.take(name), instance_id),

    async restoreInstance(name, instance_id) {
      const saved = await storage.take(name);
      const counts = countsIn(saved, instance_id);
      if (!saved || !counts) return undefined;
      await commits.replace(() => {
        if (!commits.tables.instances.has(instance_id)) throw new Conflict("the instance was deleted meanwhile");
        const content: Content = contentWithout(commits.tables, instance_id);
        const { users, identities, sessions } = saved.tenant(instance_id);
        return Tables.of({
          ...content,
          users: [...content.users!, ...users.values()],
          identities: [...content.identities!, ...identities.values()],
          sessions: [...content.sessions!, ...sessions.values()],
        });
      });
      return counts;
    },

    delete: (name) => storage.delete(name),
  };
}

function countsIn(saved: Tables | undefined, instance_id: string): TenantCounts | undefined {
  if (!saved?.instances.has(instance_id)) return undefined;
  const tenant = saved.tenant(instance_id);
  return byTable(TENANT_NAMES, (table) => tenant[table].size);
}

/** What is copied: the records and the clock. */
function contentOf(tables: Tables): Content {
  const records = byTable(MOVED_NAMES, (table) => tables.records(table)) as Content;
  return { ...records, settings: [...tables.settings.values()].filter(({ name }) => name === CLOCK_SETTING) };
}
