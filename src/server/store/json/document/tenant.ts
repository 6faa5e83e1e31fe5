import type { Provider } from "../../../../wire/providers.ts";
import { fold } from "../../../../wire/text/fold.ts";
import type {
  IdentityRecord,
  RecordOf,
  SessionRecord,
  StateRecord,
  TableName,
  TenantName,
  UserRecord,
} from "../../records.ts";
import type { AnyRecord, Tables } from "./tables.ts";
import type { Term } from "../../../../wire/search/query.ts";
import { Collection, FEW } from "./collection.ts";
import { termMatcher } from "./match.ts";

type Maybe<Row> = Row | undefined;

type Indexes = {
  readonly [Name in TenantName | "states"]: (before: Maybe<RecordOf[Name]>, after: Maybe<RecordOf[Name]>) => void;
};

/** One instance's records, with the indexes that requests need. */
export class Tenant {
  readonly instance_id: string;
  readonly users: Collection<UserRecord>;
  readonly sessions: Collection<SessionRecord>;
  readonly states = new StateQueue();
  /** By folded address. */
  readonly #usersByEmail = new Map<string, UserRecord>();
  readonly #identitiesByUid = new Map<Provider, Map<string, IdentityRecord>>();
  readonly #identitiesByUser = new Map<string, IdentityRecord[]>();
  readonly #sessionsByUser = new Map<string, SessionRecord[]>();

  constructor(instance_id: string, tables: Tables) {
    const userOf = (id: string): Maybe<UserRecord> => tables.users.get(id, instance_id);
    const sessionOf = (session_id: string): Maybe<SessionRecord> => tables.sessions.get(session_id, instance_id);
    this.instance_id = instance_id;
    this.users = new Collection({
      key: (user) => user.id,
      time: (user) => user.created_at,
      current: userOf,
      links: (user) => this.identitiesOf(user.id),
      indexes: {
        id: exactly((id) => maybe(userOf(fold(id)))),
        email: exactly((email) => maybe(this.userByEmail(email))),
        provider: (terms) => this.#identitiesWith(terms)?.flatMap(({ user_id }) => maybe(userOf(user_id))),
      },
    });
    this.sessions = new Collection({
      key: (session) => session.session_id,
      time: (session) => session.last_signin_at,
      current: sessionOf,
      indexes: {
        session_id: exactly((session_id) => maybe(sessionOf(fold(session_id)))),
        user_id: exactly((user_id) => this.sessionsOf(fold(user_id))),
      },
    });
  }

  userByEmail(email: string): UserRecord | undefined {
    return this.#usersByEmail.get(fold(email));
  }

  identityByUid(provider: Provider, uid: string): IdentityRecord | undefined {
    return this.#identitiesByUid.get(provider)?.get(uid);
  }

  /** Oldest first. */
  identitiesOf(user_id: string): readonly IdentityRecord[] {
    return this.#identitiesByUser.get(user_id) ?? [];
  }

  sessionsOf(user_id: string): readonly SessionRecord[] {
    return this.#sessionsByUser.get(user_id) ?? [];
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
    const index = this.#indexes[name as keyof Indexes] as (before: Maybe<AnyRecord>, after: Maybe<AnyRecord>) => void;
    index(before, after);
  }

  readonly #indexes: Indexes = {
    users: (before, after) => {
      if (before) removeIfSame(this.#usersByEmail, fold(before.email), before);
      if (after) this.#usersByEmail.set(fold(after.email), after);
      follow(this.users, before, after);
    },
    sessions: (before, after) => {
      relist(this.#sessionsByUser, before, after);
      follow(this.sessions, before, after);
    },
    identities: (before, after) => {
      relist(this.#identitiesByUser, before, after);
      if (before) removeIfSame(this.#identitiesByUid.get(before.provider)!, before.uid, before);
      if (!after) return;
      const ofProvider = this.#identitiesByUid.get(after.provider) ?? new Map<string, IdentityRecord>();
      this.#identitiesByUid.set(after.provider, ofProvider.set(after.uid, after));
    },
    states: (before, after) => {
      if (before) this.states.remove(before);
      if (after) this.states.add(after);
    },
  };
}

/** An index of whole values, which knows nothing of other terms. */
function exactly<Row>(find: (value: string) => readonly Row[]): (terms: readonly Term[]) => Row[] | undefined {
  return (terms) =>
    terms.every(({ operator }) => operator === "is") ? terms.flatMap(({ value }) => find(value)) : undefined;
}

function maybe<Row>(row: Maybe<Row>): Row[] {
  return row === undefined ? [] : [row];
}

function follow<Row extends { id: string }>(rows: Collection<Row>, before: Maybe<Row>, after: Maybe<Row>): void {
  if (before && after) rows.replace(before, after);
  else if (before) rows.remove(before);
  else if (after) rows.add(after);
}

function removeIfSame<T>(index: Map<string, T>, key: string, item: T): void {
  if (index.get(key) === item) index.delete(key);
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

/** Anyone may start a sign-in, so the number of unfinished ones is bounded. */
const MAX_STATES = 50_000;
/** The number dropped at a time. Small, so that starting a sign-in hardly ever waits for it. */
const BATCH = 1024;

/** One instance's unfinished sign-ins, oldest first. */
export class StateQueue {
  readonly #records = new Map<string, StateRecord>();
  /** The oldest at the last look. A map looks for its first entry past the places of all that were removed before it. */
  #oldest: StateRecord | undefined;

  add(record: StateRecord): void {
    this.#records.set(record.state, record);
  }

  remove({ state }: StateRecord): void {
    this.#records.delete(state);
    if (this.#oldest?.state === state) this.#oldest = undefined;
  }

  /** The states to drop: the expired ones, and if there are too many the oldest; at most a batch. */
  outdated(now: string): string[] {
    const stays = ({ expires_at }: StateRecord): boolean => expires_at > now && this.#records.size <= MAX_STATES;
    if (this.#oldest && stays(this.#oldest)) return [];
    const dropped: string[] = [];
    for (const record of this.#records.values()) {
      if (dropped.length === 0) this.#oldest = record;
      if (dropped.length === BATCH || stays(record)) break;
      dropped.push(record.state);
    }
    return dropped;
  }
}
