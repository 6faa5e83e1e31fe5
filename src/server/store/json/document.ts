import type { Provider } from "../../../wire/names.ts";
import { fold } from "../fold.ts";
import {
  keyOf,
  type IdentityRecord,
  type InstanceRecord,
  type PersonaRecord,
  type SessionRecord,
  type StateRecord,
  type UserRecord,
} from "../records.ts";
import { Ordered } from "./ordered.ts";

/** Every kind of record, in the order in which the file holds them, by its key. */
export interface Tables {
  instances: Map<string, InstanceRecord>;
  personas: Map<string, PersonaRecord>;
  users: Map<string, UserRecord>;
  identities: Map<string, IdentityRecord>;
  /** By `session_id`. */
  sessions: Map<string, SessionRecord>;
  /** By `state`, which is also the order in which they expire. */
  states: Map<string, StateRecord>;
}
export type TableName = keyof Tables;
export type RecordOf<Name extends TableName> = Tables[Name] extends Map<string, infer R> ? R : never;
export type AnyRecord = RecordOf<TableName>;

/** A whole record put in its place, or a key removed: applying it twice is the same as once. */
export type Change = ["put", TableName, AnyRecord] | ["delete", TableName, string];

export const TABLE_NAMES: readonly TableName[] = ["instances", "personas", "users", "identities", "sessions", "states"];

/** One instance's users and sessions, by all that a request asks for. */
interface Tenant {
  readonly usersByEmail: Map<string, UserRecord>;
  readonly identitiesByUid: Map<string, IdentityRecord>;
  readonly users: Ordered<UserRecord>;
  readonly sessions: Ordered<SessionRecord>;
  readonly states: Map<string, StateRecord>;
}

/** All records in memory, with the indexes over them. It changes through `apply` alone. */
export class Document {
  readonly tables: Tables = {
    instances: new Map(),
    personas: new Map(),
    users: new Map(),
    identities: new Map(),
    sessions: new Map(),
    states: new Map(),
  };
  readonly #tenants = new Map<string, Tenant>();
  readonly #identitiesByUser = new Map<string, IdentityRecord[]>();
  readonly #sessionsByUser = new Map<string, SessionRecord[]>();

  get isEmpty(): boolean {
    return TABLE_NAMES.every((name) => this.tables[name].size === 0);
  }

  userByEmail(instance_id: string, email: string): UserRecord | undefined {
    return this.tenant(instance_id).usersByEmail.get(fold(email));
  }

  identityByUid(instance_id: string, provider: Provider, uid: string): IdentityRecord | undefined {
    return this.tenant(instance_id).identitiesByUid.get(`${provider} ${uid}`);
  }

  identitiesOf(user_id: string): readonly IdentityRecord[] {
    return this.#identitiesByUser.get(user_id) ?? [];
  }

  sessionsOf(user_id: string): readonly SessionRecord[] {
    return this.#sessionsByUser.get(user_id) ?? [];
  }

  tenant(instance_id: string): Tenant {
    let tenant = this.#tenants.get(instance_id);
    if (!tenant) {
      const { users, sessions } = this.tables;
      tenant = {
        usersByEmail: new Map(),
        identitiesByUid: new Map(),
        states: new Map(),
        users: new Ordered<UserRecord>(
          (user) => user.created_at,
          (user) => user.id,
          (user) => users.get(user.id) === user,
        ),
        sessions: new Ordered<SessionRecord>(
          (session) => session.last_signin_at,
          (session) => session.id,
          (session) => sessions.get(session.session_id) === session,
        ),
      };
      this.#tenants.set(instance_id, tenant);
    }
    return tenant;
  }

  apply([action, name, subject]: Change): void {
    const key = action === "put" ? keyOf(name, subject) : subject;
    const table = this.tables[name] as Map<string, AnyRecord>;
    const before = table.get(key);
    if (action === "put" && before === subject) return;
    if (action === "put") table.set(key, subject);
    else table.delete(key);
    // The oldest link stays the first, however often it is renewed.
    const isRenewed = action === "put" && before !== undefined && name === "identities";
    const place = isRenewed ? this.#placeOf(before as IdentityRecord) : -1;
    if (before !== undefined) this.#unindex(name, before);
    if (action === "put") this.#index(name, subject);
    if (isRenewed) this.#moveLast(subject as IdentityRecord, place);
  }

  #placeOf(identity: IdentityRecord): number {
    return this.identitiesOf(identity.user_id).indexOf(identity);
  }

  #moveLast({ user_id }: IdentityRecord, place: number): void {
    const own = this.#identitiesByUser.get(user_id)!;
    own.splice(place, 0, own.pop()!);
  }

  #index(name: TableName, record: AnyRecord): void {
    if (name === "users") {
      const user = record as UserRecord;
      const tenant = this.tenant(user.instance_id);
      tenant.usersByEmail.set(fold(user.email), user);
      tenant.users.add(user);
    } else if (name === "identities") {
      const identity = record as IdentityRecord;
      this.tenant(identity.instance_id).identitiesByUid.set(`${identity.provider} ${identity.uid}`, identity);
      listIn(this.#identitiesByUser, identity.user_id).push(identity);
    } else if (name === "sessions") {
      const session = record as SessionRecord;
      this.tenant(session.instance_id).sessions.add(session);
      listIn(this.#sessionsByUser, session.user_id).push(session);
    } else if (name === "states") {
      const state = record as StateRecord;
      this.tenant(state.instance_id).states.set(state.state, state);
    }
  }

  #unindex(name: TableName, record: AnyRecord): void {
    if (name === "users") {
      const user = record as UserRecord;
      const tenant = this.tenant(user.instance_id);
      removeIfSame(tenant.usersByEmail, fold(user.email), user);
      tenant.users.dropped();
    } else if (name === "identities") {
      const identity = record as IdentityRecord;
      removeIfSame(this.tenant(identity.instance_id).identitiesByUid, `${identity.provider} ${identity.uid}`, identity);
      removeFrom(this.#identitiesByUser, identity.user_id, identity);
    } else if (name === "sessions") {
      const session = record as SessionRecord;
      this.tenant(session.instance_id).sessions.dropped();
      removeFrom(this.#sessionsByUser, session.user_id, session);
    } else if (name === "states") {
      const state = record as StateRecord;
      this.tenant(state.instance_id).states.delete(state.state);
    }
  }
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  if (list.length === 0) lists.set(key, list);
  return list;
}

function removeFrom<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const left = (lists.get(key) ?? []).filter((other) => other !== item);
  if (left.length > 0) lists.set(key, left);
  else lists.delete(key);
}

function removeIfSame<T>(index: Map<string, T>, key: string, item: T): void {
  if (index.get(key) === item) index.delete(key);
}
