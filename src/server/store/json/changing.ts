import { fold } from "../fold.ts";
import {
  keyOf,
  MOVED_NAMES,
  TABLE_NAMES,
  type Entry,
  type RecordOf,
  type Records,
  type TableName,
} from "../records.ts";
import { Conflict, type Store } from "../store.ts";
import { documentOf } from "./changes.ts";
import type { Commits } from "./commits.ts";
import type { Change, Document } from "./document.ts";
import { conflictOf } from "./unique.ts";

type Changing = Pick<
  Store,
  "find" | "identitiesOf" | "counts" | "add" | "change" | "removeInstance" | "clearInstance" | "settings"
>;

/** Whatever changes records otherwise than by a sign-in. */
export function createChanging(document: Document, commits: Commits): Changing {
  const before = <Name extends TableName>(name: Name, key: string): RecordOf[Name] | undefined =>
    (document.tables[name] as ReadonlyMap<string, RecordOf[Name]>).get(key);

  return {
    find: async (name, key) => before(name, key),

    identitiesOf: async (user_id) => document.identitiesOf(user_id),

    counts: async () =>
      Object.fromEntries(TABLE_NAMES.map((name) => [name, document.tables[name].size])) as Record<TableName, number>,

    async settings(prefix) {
      return [...document.tables.settings.values()].filter(({ name }) => name.startsWith(prefix));
    },

    add(records) {
      const entries = entriesOf(records);
      return commits.commit({
        keys: () => entries.flatMap(keysOf),
        run() {
          const added = new Map(MOVED_NAMES.map((name) => [name, new Set<string>()]));
          for (const entry of entries) {
            const conflict = conflictOf(document, entry, undefined, added);
            if (conflict !== undefined) throw new Conflict(conflict);
            added.get(entry[0] as keyof Records)!.add(keyOf(entry[0], entry[1]));
          }
          return { changes: entries.map(([name, record]): Change => ["put", name, record]), result: undefined };
        },
      });
    },

    change<Name extends TableName>(
      name: Name,
      key: string,
      decide: (there: RecordOf[Name] | undefined) => RecordOf[Name] | undefined,
    ): Promise<RecordOf[Name] | undefined> {
      let decided: { there: RecordOf[Name] | undefined; after: RecordOf[Name] | undefined };
      return commits.commit<RecordOf[Name] | undefined>({
        keys() {
          const there = before(name, key);
          decided = { there, after: decide(there) };
          const touched = [decided.there, decided.after].filter((record) => record !== undefined);
          return [`record ${name} ${key}`, ...touched.flatMap((record) => keysOf([name, record] as unknown as Entry))];
        },
        run() {
          const { there, after } = decided;
          if (!after) return { changes: there ? [["delete", name, key]] : [], result: undefined };
          if (after === there) return { changes: [], result: after };
          const conflict = conflictOf(document, [name, after] as unknown as Entry, there, undefined);
          if (conflict !== undefined) throw new Conflict(conflict);
          return { changes: [["put", name, after]], result: after };
        },
      });
    },

    async removeInstance(id) {
      if (!document.tables.instances.has(id)) return false;
      await commits.replace(() => without(document, id, true));
      return true;
    },

    clearInstance: (id) => commits.replace(() => without(document, id, false)),
  };
}

function entriesOf(records: Partial<Records>): Entry[] {
  return MOVED_NAMES.flatMap((name) => (records[name] ?? []).map((record) => [name, record] as unknown as Entry));
}

/** What an operation on a record depends on, in the words that sign-ins and deletions use. */
function keysOf([name, record]: Entry): string[] {
  const own = `record ${name} ${keyOf(name, record)}`;
  switch (name) {
    case "users":
      return [own, `user ${record.id}`, `email ${record.instance_id} ${fold(record.email)}`];
    case "identities":
      return [own, `user ${record.user_id}`, `uid ${record.provider} ${record.uid}`];
    case "sessions":
      return [own, `user ${record.user_id}`];
    case "instances":
      return [own, `subdomain ${record.subdomain}`];
    case "states":
      return [own, `state ${record.state}`];
    default:
      return [own];
  }
}

/** All but an instance's users, identities, sessions and states, or but the instance itself too. */
function without(document: Document, id: string, removes: boolean): Document {
  const { tables } = document;
  const others = <Row extends { instance_id: string }>(rows: ReadonlyMap<string, Row>): Row[] =>
    [...rows.values()].filter(({ instance_id }) => instance_id !== id);
  return documentOf({
    instances: [...tables.instances.values()].filter((instance) => !removes || instance.id !== id),
    personas: [...tables.personas.values()],
    users: others(tables.users),
    identities: others(tables.identities),
    sessions: others(tables.sessions),
    states: others(tables.states),
    settings: [...tables.settings.values()],
  });
}
