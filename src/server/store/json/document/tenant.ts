import type { Provider } from "../../../../wire/names.ts";
import { fold } from "../../../../wire/fold.ts";
import type { IdentityRecord, SessionRecord, StateRecord, TableName, UserRecord } from "../../records.ts";
import type { AnyRecord, Tables } from "./change.ts";
import type { Term } from "../../../../wire/query.ts";
import { Collection, FEW } from "./collection.ts";
import { termMatcher } from "./match.ts";
import { StateQueue } from "./state-queue.ts";

type Maybe<Row> = Row | undefined;

interface Belongings {
  identitiesOf(user_id: string): readonly IdentityRecord[];
  sessionsOf(user_id: string): readonly SessionRecord[];
}

/** One instance's records, with the indexes that requests need. */
export class Tenant {
  readonly instance_id: string;
  readonly users: Collection<UserRecord>;
  readonly sessions: Collection<SessionRecord>;
  readonly states = new StateQueue();
  /** By folded address. */
  readonly #usersByEmail = new Map<string, UserRecord>();
  readonly #identitiesByUid = new Map<Provider, Map<string, IdentityRecord>>();

  /** @param belongings what belongs to a user, by the user's id */
  constructor(instance_id: string, tables: Tables, belongings: Belongings) {
    const own = <Row extends { instance_id: string }>(row: Maybe<Row>): Row[] =>
      row?.instance_id === instance_id ? [row] : [];
    this.instance_id = instance_id;
    this.users = new Collection({
      key: (user) => user.id,
      time: (user) => user.created_at,
      current: (id) => tables.users.get(id),
      links: (user) => belongings.identitiesOf(user.id),
      indexes: {
        id: exactly((id) => own(tables.users.get(fold(id)))),
        email: exactly((email) => own(this.userByEmail(email))),
        provider: (terms) => this.#identitiesWith(terms)?.flatMap(({ user_id }) => own(tables.users.get(user_id))),
      },
    });
    this.sessions = new Collection({
      key: (session) => session.session_id,
      time: (session) => session.last_signin_at,
      current: (session_id) => tables.sessions.get(session_id),
      indexes: {
        session_id: exactly((session_id) => own(tables.sessions.get(fold(session_id)))),
        user_id: exactly((user_id) => belongings.sessionsOf(fold(user_id)).flatMap(own)),
      },
    });
  }

  userByEmail(email: string): UserRecord | undefined {
    return this.#usersByEmail.get(fold(email));
  }

  identityByUid(provider: Provider, uid: string): IdentityRecord | undefined {
    return this.#identitiesByUid.get(provider)?.get(uid);
  }

  /** The identities whose provider satisfies any of the terms. Undefined if they are many, or a term asks for none. */
  #identitiesWith(terms: readonly Term[]): IdentityRecord[] | undefined {
    if (terms.some(({ operator }) => operator === "null")) return undefined;
    const matchers = terms.map((term) => termMatcher(term, "string"));
    const found = [...this.#identitiesByUid].filter(([provider]) => matchers.some((matches) => matches(provider)));
    const count = found.reduce((sum, [, { size }]) => sum + size, 0);
    return count > FEW ? undefined : found.flatMap(([, byUid]) => [...byUid.values()]);
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

/** An index of whole values, which knows nothing of other terms. */
function exactly<Row>(find: (value: string) => readonly Row[]): (terms: readonly Term[]) => Row[] | undefined {
  return (terms) =>
    terms.every(({ operator }) => operator === "is") ? terms.flatMap(({ value }) => find(value)) : undefined;
}

function follow<Row extends { id: string }>(rows: Collection<Row>, before: Maybe<Row>, after: Maybe<Row>): void {
  if (before && after) rows.replace(before, after);
  else if (before) rows.remove(before);
  else if (after) rows.add(after);
}

function removeIfSame<T>(index: Map<string, T>, key: string, item: T): void {
  if (index.get(key) === item) index.delete(key);
}
