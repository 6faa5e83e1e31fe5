import {
  byTable,
  instanceIdOf,
  keyOf,
  TABLE_NAMES,
  type Entry,
  type IdentityRecord,
  type InstanceRecord,
  type PersonaRecord,
  type RecordOf,
  type Records,
  type SessionRecord,
  type SettingRecord,
  type TableName,
} from "../records.ts";
import { Tenant, type OwnedName, type OwnedRecord } from "./tenant.ts";

export type AnyRecord = RecordOf[TableName];

/** What becomes of one record. `before` is undefined if it is new, and `after` if it is removed. */
export interface Change {
  readonly table: TableName;
  readonly before: AnyRecord | undefined;
  readonly after: AnyRecord | undefined;
}

export function put<Name extends TableName>(
  table: Name,
  before: RecordOf[Name] | undefined,
  after: RecordOf[Name],
): Change {
  return { table, before, after };
}

export function removal<Name extends TableName>(table: Name, before: RecordOf[Name]): Change {
  return { table, before, after: undefined };
}

export type Content = Partial<Records & { states: RecordOf["states"][]; settings: SettingRecord[] }>;

/** All records, in memory. They are never changed in their place: a change puts another record there. */
export class Tables {
  readonly settings = new Map<string, SettingRecord>();
  readonly instances = new Map<string, InstanceRecord>();
  readonly personas = new Map<string, PersonaRecord>();
  readonly #tenants = new Map<string, Tenant>();

  static of(content: Content): Tables {
    const tables = new Tables();
    for (const name of TABLE_NAMES) for (const record of content[name] ?? []) tables.load(name, record);
    tables.sort();
    return tables;
  }

  /** An instance's records. Empty if there is none. */
  tenant(instance_id: string): Tenant {
    return this.#tenants.get(instance_id) ?? new Tenant(instance_id);
  }

  /** @param instance_id of users, identities and sessions, whose keys are unique within an instance */
  find<Name extends TableName>(name: Name, key: string, instance_id?: string): RecordOf[Name] | undefined {
    if (isOwned(name)) {
      const tenants = instance_id === undefined ? this.#tenants.values() : [this.tenant(instance_id)];
      for (const tenant of tenants) {
        const found = tenant[name].get(key);
        if (found) return found as RecordOf[Name];
      }
      return undefined;
    }
    return this.#shared(name).get(key) as RecordOf[Name] | undefined;
  }

  instancesWith(name: OwnedName, key: string): string[] {
    return [...this.#tenants.values()].filter((tenant) => tenant[name].get(key)).map(({ instance_id }) => instance_id);
  }

  /** A table's records, instance by instance, each in order of creation. */
  records<Name extends TableName>(name: Name): RecordOf[Name][] {
    const parts: { values(): Iterable<AnyRecord> }[] = isOwned(name)
      ? [...this.#tenants.values()].map((tenant) => tenant[name])
      : [this.#shared(name)];
    return parts.flatMap((part) => [...part.values()]) as RecordOf[Name][];
  }

  counts(): { [Name in TableName]: number } {
    return byTable(TABLE_NAMES, (name) => {
      if (!isOwned(name)) return this.#shared(name).size;
      return [...this.#tenants.values()].reduce((sum, tenant) => sum + tenant[name].size, 0);
    });
  }

  get isEmpty(): boolean {
    return Object.entries(this.counts()).every(([name, count]) => name === "settings" || count === 0);
  }

  apply({ table, before, after }: Change): void {
    const record = (after ?? before)!;
    if (isOwned(table)) return this.#owner(record).set(table, before as OwnedRecord, after as OwnedRecord);
    const map = this.#shared(table);
    if (after) map.set(keyOf(table, after), after);
    else map.delete(keyOf(table, record));
  }

  /** Adds a record to tables that are being filled. Equal texts are shared. Call `sort` after the last one. */
  load(name: TableName, record: AnyRecord): void {
    if (!isOwned(name)) return this.apply({ table: name, before: undefined, after: record });
    const tenant = this.#owner(record);
    shareTexts(record as OwnedRecord, tenant);
    tenant.set(name, undefined, record as OwnedRecord, true);
  }

  sort(): void {
    for (const { userList, sessionList } of this.#tenants.values()) {
      userList.sort();
      sessionList.sort();
    }
  }

  #owner(record: AnyRecord): Tenant {
    const instance_id = instanceIdOf(record)!;
    let tenant = this.#tenants.get(instance_id);
    if (!tenant) this.#tenants.set(instance_id, (tenant = new Tenant(instance_id)));
    return tenant;
  }

  #shared(name: TableName): Map<string, AnyRecord> {
    return this[name as Exclude<TableName, OwnedName>] as Map<string, AnyRecord>;
  }
}

const OWNED: readonly TableName[] = ["users", "identities", "sessions", "states"] satisfies OwnedName[];

function isOwned(name: TableName): name is OwnedName {
  return OWNED.includes(name);
}

/** All records but those that belong to an instance. The instance itself is among them. */
export function contentWithout(tables: Tables, instance_id: string): Content {
  return byTable(TABLE_NAMES, (name) =>
    tables.records(name).filter((record) => instanceIdOf(record) !== instance_id),
  ) as Content;
}

export function* entriesOf(tables: Tables, names: readonly TableName[]): Iterable<Entry> {
  for (const name of names) for (const record of tables.records(name)) yield [name, record] as unknown as Entry;
}

/** Most records repeat the texts of their user: kept twice, they would take half of the memory again. */
function shareTexts(record: OwnedRecord, { instance_id, users }: Tenant): void {
  record.instance_id = instance_id;
  if ("updated_at" in record && record.updated_at === record.created_at) record.updated_at = record.created_at;
  const user = "user_id" in record ? users.get(record.user_id) : undefined;
  if (!user) return;
  const own = record as IdentityRecord | SessionRecord;
  own.user_id = user.id;
  if (own.email === user.email) own.email = user.email;
  if ("name" in own && own.name === user.name) own.name = user.name;
  if (own.created_at === user.created_at) own.created_at = user.created_at;
}
