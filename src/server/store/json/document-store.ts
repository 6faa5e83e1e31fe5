import type { Low } from "lowdb";
import { byTable, MOVED_NAMES, type SessionRecord, type SettingRecord, type UserRecord } from "../records.ts";
import {
  SECRET_PREFIX,
  StoreNotEmpty,
  CLOCK_SETTING,
  type Store,
  type UserView,
  type SnapshotInfo,
  type Snapshots,
} from "../store.ts";
import { Commits, type Log } from "./document/commits.ts";
import { Document, type Content } from "./document/document.ts";
import { removal, type Tables } from "./document/tables.ts";
import { createRecordOperations } from "./record-operations.ts";
import { createSignInOperations } from "./sign-ins.ts";

/** What a store needs besides its document. */
export interface DocumentStoreParts {
  /** How errors and logs name it. */
  readonly location: string;
  readonly low: Low<Document>;
  readonly log: Log;
  readonly snapshotStorage: SnapshotStorage;
  /** After the last change. */
  closeLog(): Promise<void>;
}

/** A store whose records are in memory, in the document that lowdb has read. A change counts once the log has it. */
export function createDocumentStore({ location, low, log, snapshotStorage, closeLog }: DocumentStoreParts): Store {
  const document = low.data;
  const commits = new Commits(document, log);

  function view(user: UserRecord): UserView {
    const identities = document.tenant(user.instance_id).identitiesOf(user.id);
    const providers = identities.map(({ provider }) => provider);
    return { user, providers: providers.length > 1 ? [...new Set(providers)] : providers };
  }

  return {
    location,
    ...createRecordOperations(document, commits),
    snapshots: createSnapshots(document, commits, snapshotStorage),

    instances: async () => [...document.tables.instances.values()],
    personas: async () => [...document.tables.personas.values()],

    seed(records) {
      return commits.replace(() => {
        if (!document.isEmpty) throw new StoreNotEmpty("A store that is not empty can't be seeded");
        return Document.of({ ...records, settings: [...document.tables.settings.values()] });
      });
    },

    replace(records) {
      const isSecret = ({ name }: SettingRecord): boolean => name.startsWith(SECRET_PREFIX);
      return commits.replace(() =>
        Document.of({ ...records, settings: [...document.tables.settings.values()].filter(isSecret) }),
      );
    },

    async findUser(instance_id, id) {
      const user = document.tables.users.get(id, instance_id);
      return user && view(user);
    },

    users: (instance_id, options) =>
      document
        .tenant(instance_id)
        .users.find(options, (user) => (document.tables.users.has(user.id, instance_id) ? view(user) : undefined)),

    findSession: async (instance_id, session_id) => document.tables.sessions.get(session_id, instance_id),

    sessions: (instance_id, options) =>
      document
        .tenant(instance_id)
        .sessions.find(options, (session) =>
          document.tables.sessions.has(session.session_id, instance_id) ? session : undefined,
        ),

    deleteUser(instance_id, id) {
      return commits.commit({
        keys() {
          const identities = document.tenant(instance_id).identitiesOf(id);
          return [`user ${id}`, ...identities.map(({ provider, uid }) => `uid ${provider} ${uid}`)];
        },
        run() {
          const tenant = document.tenant(instance_id);
          const user = document.tables.users.get(id, instance_id);
          if (!user) return { changes: [], result: false };
          const identities = tenant.identitiesOf(id).map((identity) => removal("identities", identity));
          const sessions = tenant.sessionsOf(id).map((session) => removal("sessions", session));
          return { changes: [removal("users", user), ...identities, ...sessions], result: true };
        },
      });
    },

    async pruneSessions(instance_id, before, limit) {
      const isOld = ({ last_signin_at, revoked_at }: SessionRecord): boolean =>
        last_signin_at < before && (revoked_at === null || revoked_at < before);
      const page = { after: { time: before, id: "" }, limit };
      const found: SessionRecord[] = [];
      for await (const batch of document
        .tenant(instance_id)
        .sessions.find(page, (session) => (isOld(session) ? session : undefined)))
        found.push(...batch);
      return commits.commit({
        keys: () => found.map(({ user_id }) => `user ${user_id}`),
        run() {
          // As they are now: a sign-in may have renewed some.
          const old = found
            .map(({ session_id }) => document.tables.sessions.get(session_id, instance_id))
            .filter((session) => session !== undefined && isOld(session));
          return { changes: old.map((session) => removal("sessions", session!)), result: old.length };
        },
      });
    },

    ...createSignInOperations(document, commits),

    probe: () => log.probe(),

    async close() {
      await commits.settled();
      await closeLog();
    },
  };
}

export interface SnapshotStorage extends Pick<Snapshots, "list" | "delete"> {
  put(info: SnapshotInfo, content: SavedContent): Promise<void>;
  take(name: string): Promise<SavedContent | undefined>;
}

type SavedContent = Required<Omit<Content, "states">>;

// Not where openMemoryStore is: a program reads the types there, and need not have lowdb.
export function createSnapshotMemory(): SnapshotStorage {
  const saved = new Map<string, { info: SnapshotInfo; content: SavedContent }>();
  return {
    list: async () => [...saved.values()].map(({ info }) => info).filter(({ name }) => !name.startsWith(".")),
    put: async (info, content) => void saved.set(info.name, { info, content }),
    take: async (name) => saved.get(name)?.content,
    delete: async (name) => saved.delete(name),
  };
}

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
