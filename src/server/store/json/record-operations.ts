import { fold } from "../../../wire/text/fold.ts";
import {
  byTable,
  keyOf,
  MOVED_NAMES,
  TABLE_NAMES,
  type Entry,
  type KeyOf,
  type RecordOf,
  type Records,
  type TableName,
  type TenantKey,
  type UserRecord,
  instanceOf,
  columnsOf,
} from "../records.ts";
import { type Store, AlreadyExists, Conflict } from "../store.ts";
import { emptyTables, removal, type AnyRecord, type Change, type RecordTable, type Tables } from "./document/tables.ts";
import type { Commits } from "./document/commits.ts";
import { Document, type Content } from "./document/document.ts";

/** Reads and changes single records: everything except lists and sign-ins. */
export function createRecordOperations(document: Document, commits: Commits) {
  function find<Name extends TableName>(name: Name, key: KeyOf<Name>): RecordOf[Name] | undefined {
    const { id, instance_id } = placeOf(key);
    return (document.tables[name] as RecordTable<TableName>).get(id, instance_id!) as RecordOf[Name] | undefined;
  }

  return {
    find: async (name, key) => find(name, key),

    instancesWith: async (name, key) =>
      (document.tables[name].withKey(key) as UserRecord[]).map(({ instance_id }) => instance_id),

    identitiesOf: async (instance_id, user_id) => document.tenant(instance_id).identitiesOf(user_id),

    counts: async () => byTable(TABLE_NAMES, (name) => document.tables[name].size),

    async settings(prefix) {
      return [...document.tables.settings.values()].filter(({ name }) => name.startsWith(prefix));
    },

    add(records) {
      const entries = entriesOf(records);
      return commits.commit({
        keys: () => entries.flatMap(keysOf),
        run() {
          const added = emptyTables();
          for (const entry of entries) {
            refuseConflict(document, entry, undefined, added);
            (added[entry[0]] as RecordTable<TableName>).set(entry[1]);
          }
          return { changes: entries.map(([name, record]): Change => ["put", name, record]), result: undefined };
        },
      });
    },

    change<Name extends TableName>(
      name: Name,
      key: KeyOf<Name>,
      decide: (before: RecordOf[Name] | undefined) => RecordOf[Name] | undefined,
    ): Promise<RecordOf[Name] | undefined> {
      let before: RecordOf[Name] | undefined;
      let after: RecordOf[Name] | undefined;
      return commits.commit<RecordOf[Name] | undefined>({
        keys() {
          before = find(name, key);
          after = decide(before);
          const touched = [before, after].filter((record) => record !== undefined);
          return [
            `record ${name} ${placeOf(key).id}`,
            ...touched.flatMap((record) => keysOf([name, record] as unknown as Entry)),
          ];
        },
        run() {
          if (!after) return { changes: before ? [removal(name, before)] : [], result: undefined };
          if (after === before) return { changes: [], result: after };
          refuseConflict(document, [name, after] as unknown as Entry, before, undefined);
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
  } satisfies Partial<Store>;
}

function placeOf(key: string | TenantKey): Partial<TenantKey> & Pick<TenantKey, "id"> {
  return typeof key === "string" ? { id: key } : key;
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

/** All but an instance's users, identities, sessions and states. @param removes whether the instance itself goes too */
function without({ tables }: Document, id: string, removes: boolean): Document {
  const stays = (name: TableName, row: AnyRecord): boolean =>
    removes && name === "instances" ? (row as RecordOf["instances"]).id !== id : instanceOf(row) !== id;
  return Document.of(
    byTable(TABLE_NAMES, (name) => [...tables[name].values()].filter((row) => stays(name, row))) as Content,
  );
}

const UNIQUE = byTable(TABLE_NAMES, (name) => columnsOf(name).filter(({ unique }) => unique));

/**
 * @throws {Conflict} if a unique value is taken, or the record it belongs to is missing
 * @param before the record that it replaces; undefined if it is new
 * @param added those that are written with it
 */
function refuseConflict(
  document: Document,
  [name, record]: Entry,
  before: RecordOf[TableName] | undefined,
  added: Tables | undefined,
): void {
  const { tables } = document;
  for (const { name: column, unique } of UNIQUE[name]) {
    const value = record[column as keyof typeof record] as unknown;
    if (before && before[column as keyof typeof before] === value) continue;
    const isTaken =
      unique === "key"
        ? (tables[name] as RecordTable<TableName>).has(value as string, instanceOf(record)!)
        : // Instances are few. A session's id is random, and is looked up only if it was given.
          name === "instances" &&
          [...tables.instances.values()].some((row) => row[column as keyof typeof row] === value);
    if (isTaken)
      throw new AlreadyExists(
        `${name}.${column}: another record has ${column === "secret_key" ? "the same" : `"${String(value)}"`}`,
      );
  }
  const isThere = (table: "instances" | "users", id: string, instance_id?: string): boolean =>
    [tables, added].some((some) => (some?.[table] as RecordTable<TableName> | undefined)?.has(id, instance_id!));
  if (name === "users") {
    const other = document.tenant(record.instance_id).userByEmail(record.email);
    if (other && other !== before)
      throw new AlreadyExists(`users.email: another user of the instance has "${record.email}"`);
    if (!isThere("instances", record.instance_id))
      throw new Conflict(`users.instance_id: there is no instance ${record.instance_id}`);
  }
  if (name === "identities") {
    const other = document.tenant(record.instance_id).identityByUid(record.provider, record.uid);
    if (other && other !== before)
      throw new AlreadyExists(`identities.uid: another user has the ${record.provider} account ${record.uid}`);
  }
  if ((name === "identities" || name === "sessions") && !isThere("users", record.user_id, record.instance_id))
    throw new Conflict(`${name}.user_id: there is no user ${record.user_id}`);
}
