import {
  byTable,
  keyOf,
  TABLE_NAMES,
  type IdentityRecord,
  type RecordOf,
  type Records,
  type SessionRecord,
  type TableName,
  type UserRecord,
} from "../../records.ts";
import type { AnyRecord, Change, Tables } from "./change.ts";
import { Tenant } from "./tenant.ts";

/** All records in memory, with the indexes over them. It changes through `apply` and `become` alone. */
export class Document {
  #tables = byTable(TABLE_NAMES, () => new Map()) as Tables;
  #tenants = new Map<string, Tenant>();
  #latest: Tenant | undefined;
  #identitiesByUser = new Map<string, IdentityRecord[]>();
  #sessionsByUser = new Map<string, SessionRecord[]>();

  /** All of these, in their places. */
  static of(records: Records & { states?: RecordOf["states"][]; settings?: RecordOf["settings"][] }): Document {
    const document = new Document();
    for (const name of TABLE_NAMES) for (const record of records[name] ?? []) document.apply(["put", name, record]);
    return document;
  }

  get tables(): Tables {
    return this.#tables;
  }

  get isEmpty(): boolean {
    return TABLE_NAMES.every((name) => name === "settings" || this.#tables[name].size === 0);
  }

  /** Oldest first. */
  identitiesOf(user_id: string): readonly IdentityRecord[] {
    return this.#identitiesByUser.get(user_id) ?? [];
  }

  sessionsOf(user_id: string): readonly SessionRecord[] {
    return this.#sessionsByUser.get(user_id) ?? [];
  }

  tenant(instance_id: string): Tenant {
    // Records of one instance come in long rows.
    if (this.#latest?.instance_id === instance_id) return this.#latest;
    let tenant = this.#tenants.get(instance_id);
    if (!tenant) {
      tenant = new Tenant(instance_id, this.#tables, this);
      this.#tenants.set(instance_id, tenant);
    }
    this.#latest = tenant;
    return tenant;
  }

  apply([action, name, subject]: Change): void {
    const key = action === "put" ? keyOf(name, subject) : subject;
    const table = this.#tables[name] as Map<string, AnyRecord>;
    const before = table.get(key);
    const after = action === "put" ? subject : undefined;
    if (before === after) return;
    if (after) table.set(key, after);
    else table.delete(key);
    this.#index(name, before, after);
  }

  /**
   * Adds a record that was just read from a file. Equal texts are shared.
   * @returns false if there is one with its key
   */
  load(name: TableName, record: AnyRecord): boolean {
    if ("instance_id" in record) record.instance_id = this.tenant(record.instance_id).instance_id;
    if ("updated_at" in record && record.updated_at === record.created_at) record.updated_at = record.created_at;
    const user = "user_id" in record ? this.#tables.users.get(record.user_id) : undefined;
    if (user) shareTexts(record as IdentityRecord | SessionRecord, user);
    const table = this.#tables[name] as Map<string, AnyRecord>;
    const { size } = table;
    table.set(keyOf(name, record), record);
    if (table.size === size) return false;
    this.#index(name, undefined, record);
    return true;
  }

  /** Takes the place of all its records by another's, in one step. */
  become(other: Document): void {
    this.#tables = other.#tables;
    this.#tenants = other.#tenants;
    this.#latest = undefined;
    this.#identitiesByUser = other.#identitiesByUser;
    this.#sessionsByUser = other.#sessionsByUser;
  }

  /** Sorts now, so that the next reader does not wait for it. */
  sort(): void {
    for (const { users, sessions } of this.#tenants.values()) {
      users.sort();
      sessions.sort();
    }
  }

  #index(name: TableName, before: AnyRecord | undefined, after: AnyRecord | undefined): void {
    const record = (before ?? after)!;
    if (!("instance_id" in record)) return;
    this.tenant(record.instance_id).index(name, before, after);
    if (name === "identities")
      relist(this.#identitiesByUser, before as IdentityRecord | undefined, after as IdentityRecord | undefined);
    else if (name === "sessions")
      relist(this.#sessionsByUser, before as SessionRecord | undefined, after as SessionRecord | undefined);
  }
}

function shareTexts(record: IdentityRecord | SessionRecord, user: UserRecord): void {
  record.user_id = user.id;
  if (record.email === user.email) record.email = user.email;
  if ("name" in record && record.name === user.name) record.name = user.name;
  if (record.created_at === user.created_at) record.created_at = user.created_at;
}

/** A user's records keep their first places, even when they are renewed. */
function relist<T extends { user_id: string }>(
  lists: Map<string, T[]>,
  before: T | undefined,
  after: T | undefined,
): void {
  const { user_id } = (before ?? after)!;
  const list = lists.get(user_id);
  if (!list) {
    // A list that is created by pushing would reserve space for 17.
    if (after) lists.set(user_id, [after]);
  } else if (before && after) list[list.indexOf(before)] = after;
  else if (after) list.push(after);
  else if (list.length === 1) lists.delete(user_id);
  else list.splice(list.indexOf(before!), 1);
}
