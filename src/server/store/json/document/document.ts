import {
  TABLE_NAMES,
  type IdentityRecord,
  type RecordOf,
  type Records,
  type SessionRecord,
  type TableName,
  type UserRecord,
} from "../../records.ts";
import { emptyTables, type AnyRecord, type Change, type RecordTable, type Tables } from "./tables.ts";
import { Tenant } from "./tenant.ts";

export type Content = Records & { states?: RecordOf["states"][]; settings?: RecordOf["settings"][] };

/** All records in memory, with the indexes over them. It changes through `apply` and `become` alone. */
export class Document {
  #tables = emptyTables();
  #tenants = new Map<string, Tenant>();
  #latest: Tenant | undefined;

  /** All of these, in their places. */
  static of(records: Content): Document {
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

  get size(): number {
    return TABLE_NAMES.reduce((sum, name) => sum + this.#tables[name].size, 0);
  }

  tenant(instance_id: string): Tenant {
    // Records of one instance come in long rows.
    if (this.#latest?.instance_id === instance_id) return this.#latest;
    let tenant = this.#tenants.get(instance_id);
    if (!tenant) {
      tenant = new Tenant(instance_id, this.#tables);
      this.#tenants.set(instance_id, tenant);
    }
    this.#latest = tenant;
    return tenant;
  }

  apply(change: Change): void {
    const table = this.#tables[change[1]] as RecordTable<TableName>;
    if (change[0] === "put") {
      const [, name, record] = change;
      const before = table.set(record);
      if (before !== record) this.#index(name, before, record);
      return;
    }
    const [, name, key, instance_id] = change;
    for (const before of table.delete(key, instance_id)) this.#index(name, before, undefined);
  }

  /**
   * Adds a record that was just read from a file. Equal texts are shared.
   * @returns false if there is one with its key
   */
  load(name: TableName, record: AnyRecord): boolean {
    if ("instance_id" in record) record.instance_id = this.tenant(record.instance_id).instance_id;
    if ("updated_at" in record && record.updated_at === record.created_at) record.updated_at = record.created_at;
    const user = "user_id" in record ? this.#tables.users.get(record.user_id, record.instance_id) : undefined;
    if (user) shareTexts(record as IdentityRecord | SessionRecord, user);
    const table = this.#tables[name] as RecordTable<TableName>;
    if (table.set(record)) return false;
    this.#index(name, undefined, record);
    return true;
  }

  /** Takes the place of all its records by another's, in one step. */
  become(other: Document): void {
    this.#tables = other.#tables;
    this.#tenants = other.#tenants;
    this.#latest = undefined;
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
  }
}

function shareTexts(record: IdentityRecord | SessionRecord, user: UserRecord): void {
  record.user_id = user.id;
  if (record.email === user.email) record.email = user.email;
  if ("name" in record && record.name === user.name) record.name = user.name;
  if (record.created_at === user.created_at) record.created_at = user.created_at;
}
