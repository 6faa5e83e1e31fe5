import type { Provider } from "../../../../wire/names.ts";
import { fold } from "../../../../wire/fold.ts";
import type { IdentityRecord, SessionRecord, StateRecord, TableName, UserRecord } from "../../records.ts";
import type { AnyRecord, Tables } from "./change.ts";
import { Collection } from "./collection.ts";
import { StateQueue } from "./state-queue.ts";

type Maybe<Row> = Row | undefined;

/** One instance's records, with the indexes that requests need. */
export class Tenant {
  readonly instance_id: string;
  readonly users: Collection<UserRecord>;
  readonly sessions: Collection<SessionRecord>;
  readonly states = new StateQueue();
  /** By folded address. */
  readonly #usersByEmail = new Map<string, UserRecord>();
  readonly #identitiesByUid = new Map<Provider, Map<string, IdentityRecord>>();

  /** @param sessionsOf a user's sessions, by the user's id */
  constructor(instance_id: string, tables: Tables, sessionsOf: (user_id: string) => readonly SessionRecord[]) {
    const own = <Row extends { instance_id: string }>(row: Maybe<Row>): Row[] =>
      row?.instance_id === instance_id ? [row] : [];
    this.instance_id = instance_id;
    this.users = new Collection({
      key: (user) => user.id,
      time: (user) => user.created_at,
      current: (id) => tables.users.get(id),
      indexes: {
        id: (id) => own(tables.users.get(fold(id))),
        email: (email) => own(this.userByEmail(email)),
      },
    });
    this.sessions = new Collection({
      key: (session) => session.session_id,
      time: (session) => session.last_signin_at,
      current: (session_id) => tables.sessions.get(session_id),
      indexes: {
        session_id: (session_id) => own(tables.sessions.get(fold(session_id))),
        user_id: (user_id) => sessionsOf(fold(user_id)).flatMap(own),
      },
    });
  }

  userByEmail(email: string): UserRecord | undefined {
    return this.#usersByEmail.get(fold(email));
  }

  identityByUid(provider: Provider, uid: string): IdentityRecord | undefined {
    return this.#identitiesByUid.get(provider)?.get(uid);
  }

  /** Applies a change. @param before undefined if the record is new. @param after undefined if it was removed */
  index(name: TableName, before: Maybe<AnyRecord>, after: Maybe<AnyRecord>): void {
    if (name === "users") this.#indexUser(before as Maybe<UserRecord>, after as Maybe<UserRecord>);
    else if (name === "identities")
      this.#indexIdentity(before as Maybe<IdentityRecord>, after as Maybe<IdentityRecord>);
    else if (name === "sessions") follow(this.sessions, before as Maybe<SessionRecord>, after as Maybe<SessionRecord>);
    else if (name === "states") this.#indexState(before as Maybe<StateRecord>, after as Maybe<StateRecord>);
  }

  #indexUser(before: Maybe<UserRecord>, after: Maybe<UserRecord>): void {
    if (before) removeIfSame(this.#usersByEmail, fold(before.email), before);
    if (after) this.#usersByEmail.set(fold(after.email), after);
    follow(this.users, before, after);
  }

  #indexIdentity(before: Maybe<IdentityRecord>, after: Maybe<IdentityRecord>): void {
    if (before) removeIfSame(this.#identitiesByUid.get(before.provider)!, before.uid, before);
    if (!after) return;
    const ofProvider = this.#identitiesByUid.get(after.provider) ?? new Map<string, IdentityRecord>();
    this.#identitiesByUid.set(after.provider, ofProvider.set(after.uid, after));
  }

  #indexState(before: Maybe<StateRecord>, after: Maybe<StateRecord>): void {
    if (before) this.states.remove(before);
    if (after) this.states.add(after);
  }
}

function follow<Row extends { id: string }>(rows: Collection<Row>, before: Maybe<Row>, after: Maybe<Row>): void {
  if (before && after) rows.replace(before, after);
  else if (before) rows.remove(before);
  else if (after) rows.add(after);
}

function removeIfSame<T>(index: Map<string, T>, key: string, item: T): void {
  if (index.get(key) === item) index.delete(key);
}
