import {
  MOVED_NAMES,
  type Entry,
  type KeyOf,
  type RecordOf,
  type Records,
  type SessionRecord,
  type TableName,
} from "../records.ts";
import type { Store } from "../store.ts";
import type { Commits } from "./commits.ts";
import { refuseConflict } from "./conflicts.ts";
import { contentWithout, put, removal, Tables, type Change } from "./tables.ts";

/** Reads and changes single records: everything except lists and sign-ins. */
export function createRecordOperations(commits: Commits) {
  function find<Name extends TableName>(name: Name, key: KeyOf<Name>): RecordOf[Name] | undefined {
    const { id, instance_id } = typeof key === "string" ? { id: key, instance_id: undefined } : key;
    return commits.tables.find(name, id, instance_id);
  }

  return {
    find: async (name, key) => find(name, key),
    instancesWith: async (name, key) => commits.tables.instancesWith(name, key),
    identitiesOf: async (instance_id, user_id) => [...commits.tables.tenant(instance_id).identitiesOf(user_id)],
    counts: async () => commits.tables.counts(),
    settings: async (prefix) => [...commits.tables.settings.values()].filter(({ name }) => name.startsWith(prefix)),

    add: (records) => commits.commit(() => ({ changes: additions(commits.tables, records), result: undefined })),

    change: <Name extends TableName>(
      name: Name,
      key: KeyOf<Name>,
      decide: (before: RecordOf[Name] | undefined) => RecordOf[Name] | undefined,
    ) =>
      commits.commit<RecordOf[Name] | undefined>(() => {
        const before = find(name, key);
        const after = decide(before);
        if (after === before) return { changes: [], result: after };
        if (!after) return { changes: [removal(name, before!)], result: undefined };
        refuseConflict(commits.tables, [name, after] as unknown as Entry, before);
        return { changes: [put(name, before, after)], result: after };
      }),

    deleteUser: (instance_id, id) =>
      commits.commit(() => {
        const tenant = commits.tables.tenant(instance_id);
        const user = tenant.users.get(id);
        if (!user) return { changes: [], result: false };
        // Backwards, so that undoing it restores their order.
        const identities = tenant
          .identitiesOf(id)
          .toReversed()
          .map((identity) => removal("identities", identity));
        const sessions = tenant.sessionsOf(id).map((session) => removal("sessions", session));
        return { changes: [removal("users", user), ...identities, ...sessions], result: true };
      }),

    async pruneSessions(instance_id, before, limit) {
      const isOld = ({ last_signin_at, revoked_at }: SessionRecord): boolean =>
        last_signin_at < before && (revoked_at === null || revoked_at < before);
      const page = { after: { time: before, id: "" }, limit };
      const found: SessionRecord[] = [];
      const { sessionList } = commits.tables.tenant(instance_id);
      for await (const batch of sessionList.find(page, (session) => (isOld(session) ? session : undefined)))
        found.push(...batch);
      return commits.commit(() => {
        const { sessions } = commits.tables.tenant(instance_id);
        // As they are now: a sign-in may have renewed some.
        const old = found.filter((session) => sessions.get(session.session_id) === session);
        return { changes: old.map((session) => removal("sessions", session)), result: old.length };
      });
    },

    async removeInstance(id) {
      if (!commits.tables.instances.has(id)) return false;
      await commits.replace(() => {
        const content = contentWithout(commits.tables, id);
        return Tables.of({ ...content, instances: content.instances!.filter((instance) => instance.id !== id) });
      });
      return true;
    },

    clearInstance: (id) => commits.replace(() => Tables.of(contentWithout(commits.tables, id))),
  } satisfies Partial<Store>;
}

/** Each is checked when those before it are there: it may belong to one of them, or have its name. */
function* additions(tables: Tables, records: Partial<Records>): Iterable<Change> {
  for (const name of MOVED_NAMES)
    for (const after of records[name] ?? []) {
      refuseConflict(tables, [name, after] as unknown as Entry);
      yield { table: name, before: undefined, after };
    }
}
