import type { SettingRecord, UserRecord } from "../records.ts";
import { SECRET_PREFIX, StoreNotEmpty, type Store, type UserView } from "../store.ts";
import { Commits } from "./commits.ts";
import { createRecordOperations } from "./record-operations.ts";
import { createSignInOperations } from "./sign-ins.ts";
import { createSnapshotMemory, createSnapshots, type SnapshotStorage } from "./snapshots.ts";
import { Tables } from "./tables.ts";

/** A store without files: it ends with the process. */
export function openMemoryStore(): Store {
  return {
    location: "memory",
    ...createOperations(new Commits(new Tables()), createSnapshotMemory()),
    probe: async () => {},
    close: async () => {},
  };
}

/** What a store that has its records in memory can do, with or without files. */
export function createOperations(commits: Commits, storage: SnapshotStorage) {
  function view(user: UserRecord): UserView {
    const identities = commits.tables.tenant(user.instance_id).identitiesOf(user.id);
    return { user, providers: [...new Set(identities.map(({ provider }) => provider))] };
  }

  function allSettings(): SettingRecord[] {
    return [...commits.tables.settings.values()];
  }

  return {
    ...createRecordOperations(commits),
    ...createSignInOperations(commits),
    snapshots: createSnapshots(commits, storage),
    onLate: (listener: () => void) => void (commits.onLate = listener),

    instances: async () => [...commits.tables.instances.values()],
    personas: async () => [...commits.tables.personas.values()],

    seed: (records) =>
      commits.replace(() => {
        if (!commits.tables.isEmpty) throw new StoreNotEmpty("A store that is not empty can't be seeded");
        return Tables.of({ ...records, settings: allSettings() });
      }),

    replace: (records) =>
      commits.replace(() => {
        const secrets = allSettings().filter(({ name }) => name.startsWith(SECRET_PREFIX));
        return Tables.of({ ...records, settings: secrets });
      }),

    async findUser(instance_id, id) {
      const user = commits.tables.tenant(instance_id).users.get(id);
      return user && view(user);
    },

    users(instance_id, options) {
      const { userList, users } = commits.tables.tenant(instance_id);
      return userList.find(options, (user) => (users.has(user.id) ? view(user) : undefined));
    },

    sessions(instance_id, options) {
      const { sessionList, sessions } = commits.tables.tenant(instance_id);
      return sessionList.find(options, (session) => (sessions.has(session.session_id) ? session : undefined));
    },
  } satisfies Partial<Store>;
}
