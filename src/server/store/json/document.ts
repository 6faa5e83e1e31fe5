import type { Provider } from "../../../wire/names.ts";
import { fold } from "../fold.ts";
import {
  keyOf,
  TABLE_NAMES,
  type IdentityRecord,
  type RecordOf,
  type SessionRecord,
  type StateRecord,
  type TableName,
  type UserRecord,
} from "../records.ts";
import { Collection } from "./collection.ts";
import { StateQueue } from "./state-queue.ts";

/** Every kind of record, by its key: a session's `session_id`, a state's `state`, else the `id`. */
export type Tables = { readonly [Name in TableName]: Map<string, RecordOf[Name]> };
export type AnyRecord = RecordOf[TableName];

/** A whole record put in its place, or a key removed: applying it twice is the same as once. */
export type Change = ["put", TableName, AnyRecord] | ["delete", TableName, string];

/** One instance's users and sessions, by all that a request asks for. */
interface Tenant {
  readonly instance_id: string;
  /** By folded address. */
  readonly usersByEmail: Map<string, UserRecord>;
  readonly identitiesByUid: Map<Provider, Map<string, IdentityRecord>>;
  readonly users: Collection<UserRecord>;
  readonly sessions: Collection<SessionRecord>;
  readonly states: StateQueue;
}

/** All records in memory, with the indexes over them. It changes through `apply` and `become` alone. */
export class Document {
  #tables: Tables = emptyTables();
  #tenants = new Map<string, Tenant>();
  #latest: Tenant | undefined;
  #identitiesByUser = new Map<string, IdentityRecord[]>();
  #sessionsByUser = new Map<string, SessionRecord[]>();

  get tables(): Tables {
    return this.#tables;
  }

  get isEmpty(): boolean {
    return TABLE_NAMES.every((name) => name === "settings" || this.#tables[name].size === 0);
  }

  userByEmail(instance_id: string, email: string): UserRecord | undefined {
    return this.tenant(instance_id).usersByEmail.get(fold(email));
  }

  identityByUid(instance_id: string, provider: Provider, uid: string): IdentityRecord | undefined {
    return this.tenant(instance_id).identitiesByUid.get(provider)?.get(uid);
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
    this.#latest = this.#tenants.get(instance_id) ?? this.#newTenant(instance_id);
    return this.#latest;
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
   * Takes in a record that was just read from a file, whose texts are not shared yet: equal ones are kept once.
   * @returns false where there is one with its key
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

  /** Does what the first reading would otherwise wait for. */
  sort(): void {
    for (const { users, sessions } of this.#tenants.values()) {
      users.sort();
      sessions.sort();
    }
  }

  #newTenant(instance_id: string): Tenant {
    const usersByEmail = new Map<string, UserRecord>();
    const ownUser = (id: string): UserRecord[] => own(this.#tables.users.get(id), instance_id);
    const ownSession = (id: string): SessionRecord[] => own(this.#tables.sessions.get(id), instance_id);
    const tenant: Tenant = {
      instance_id,
      usersByEmail,
      identitiesByUid: new Map(),
      states: new StateQueue(),
      users: new Collection<UserRecord>({
        key: (user) => user.id,
        time: (user) => user.created_at,
        id: (user) => user.id,
        current: (id) => this.#tables.users.get(id),
        withValue: (field, value) =>
          field === "id"
            ? ownUser(fold(value))
            : field === "email"
              ? own(usersByEmail.get(fold(value)), instance_id)
              : undefined,
      }),
      sessions: new Collection<SessionRecord>({
        key: (session) => session.session_id,
        time: (session) => session.last_signin_at,
        id: (session) => session.id,
        current: (session_id) => this.#tables.sessions.get(session_id),
        withValue: (field, value) =>
          field === "session_id"
            ? ownSession(fold(value))
            : field === "user_id"
              ? this.sessionsOf(fold(value)).filter((session) => session.instance_id === instance_id)
              : undefined,
      }),
    };
    this.#tenants.set(instance_id, tenant);
    return tenant;
  }

  #index(name: TableName, before: AnyRecord | undefined, after: AnyRecord | undefined): void {
    if (name === "users") this.#indexUser(before as UserRecord | undefined, after as UserRecord | undefined);
    else if (name === "identities")
      this.#indexIdentity(before as IdentityRecord | undefined, after as IdentityRecord | undefined);
    else if (name === "sessions")
      this.#indexSession(before as SessionRecord | undefined, after as SessionRecord | undefined);
    else if (name === "states") this.#indexState(before as StateRecord | undefined, after as StateRecord | undefined);
  }

  #indexUser(before: UserRecord | undefined, after: UserRecord | undefined): void {
    const { users, usersByEmail } = this.tenant((before ?? after)!.instance_id);
    if (before) removeIfSame(usersByEmail, fold(before.email), before);
    if (after) usersByEmail.set(fold(after.email), after);
    reorder(users, before, after);
  }

  #indexIdentity(before: IdentityRecord | undefined, after: IdentityRecord | undefined): void {
    const { identitiesByUid } = this.tenant((before ?? after)!.instance_id);
    if (before) removeIfSame(identitiesByUid.get(before.provider)!, before.uid, before);
    if (after) {
      const ofProvider = identitiesByUid.get(after.provider) ?? new Map<string, IdentityRecord>();
      identitiesByUid.set(after.provider, ofProvider.set(after.uid, after));
    }
    relist(this.#identitiesByUser, before, after);
  }

  #indexSession(before: SessionRecord | undefined, after: SessionRecord | undefined): void {
    reorder(this.tenant((before ?? after)!.instance_id).sessions, before, after);
    relist(this.#sessionsByUser, before, after);
  }

  #indexState(before: StateRecord | undefined, after: StateRecord | undefined): void {
    const { states } = this.tenant((before ?? after)!.instance_id);
    if (before) states.remove(before);
    if (after) states.add(after);
  }
}

function emptyTables(): Tables {
  return Object.fromEntries(TABLE_NAMES.map((name) => [name, new Map()])) as unknown as Tables;
}

function shareTexts(record: IdentityRecord | SessionRecord, user: UserRecord): void {
  record.user_id = user.id;
  if (record.email === user.email) record.email = user.email;
  if ("name" in record && record.name === user.name) record.name = user.name;
  if (record.created_at === user.created_at) record.created_at = user.created_at;
}

function own<Row extends { instance_id: string }>(row: Row | undefined, instance_id: string): Row[] {
  return row?.instance_id === instance_id ? [row] : [];
}

function reorder<Row extends object>(rows: Collection<Row>, before: Row | undefined, after: Row | undefined): void {
  if (before && after) rows.replace(before, after);
  else if (before) rows.remove(before);
  else if (after) rows.add(after);
}

/** A user's records keep the places that they were given first, however often they are renewed. */
function relist<T extends { user_id: string }>(
  lists: Map<string, T[]>,
  before: T | undefined,
  after: T | undefined,
): void {
  const { user_id } = (before ?? after)!;
  const list = lists.get(user_id);
  if (!list) {
    // A list that is begun by pushing would take room for 17.
    if (after) lists.set(user_id, [after]);
  } else if (before && after) list[list.indexOf(before)] = after;
  else if (after) list.push(after);
  else if (list.length === 1) lists.delete(user_id);
  else list.splice(list.indexOf(before!), 1);
}

function removeIfSame<T>(index: Map<string, T>, key: string, item: T): void {
  if (index.get(key) === item) index.delete(key);
}
