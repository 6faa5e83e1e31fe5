import { fold } from "../../../text/fold.ts";
import type { IdentityRecord, RecordOf, SessionRecord, StateRecord, TableName, UserRecord } from "../records.ts";
import { List } from "./list.ts";

type Maybe<Record> = Record | undefined;

/** The tables whose records belong to an instance. */
export type OwnedName = "users" | "identities" | "sessions" | "states";
export type OwnedRecord = RecordOf[OwnedName];

/** One instance's records: by their keys, by what requests look up, and in the order of their lists. */
export class Tenant {
  readonly instance_id: string;
  readonly users = new Map<string, UserRecord>();
  readonly identities = new Map<string, IdentityRecord>();
  /** By `session_id`. */
  readonly sessions = new Map<string, SessionRecord>();
  readonly states = new StateQueue();
  readonly userList: List<UserRecord>;
  readonly sessionList: List<SessionRecord>;
  /** By folded address. */
  readonly #usersByEmail = new Map<string, UserRecord>();
  readonly #identitiesByUid = new Map<string, IdentityRecord>();
  readonly #identitiesByUser = new Map<string, IdentityRecord[]>();
  readonly #sessionsByUser = new Map<string, SessionRecord[]>();

  constructor(instance_id: string) {
    this.instance_id = instance_id;
    this.userList = new List({ time: (user) => user.created_at, links: (user) => this.identitiesOf(user.id) });
    this.sessionList = new List({ time: (session) => session.last_signin_at });
  }

  userByEmail(email: string): Maybe<UserRecord> {
    return this.#usersByEmail.get(fold(email));
  }

  identityByUid(provider: string, uid: string): Maybe<IdentityRecord> {
    return this.#identitiesByUid.get(`${provider} ${uid}`);
  }

  /** Oldest first, as they are now: whoever waits for something takes a copy. */
  identitiesOf(user_id: string): readonly IdentityRecord[] {
    return this.#identitiesByUser.get(user_id) ?? [];
  }

  sessionsOf(user_id: string): readonly SessionRecord[] {
    return this.#sessionsByUser.get(user_id) ?? [];
  }

  /**
   * Puts one record in the place of another with the same key.
   * @param before undefined if the record is new. @param after undefined if it is removed
   * @param isLoading whether the lists are sorted later
   */
  set(table: TableName, before: Maybe<OwnedRecord>, after: Maybe<OwnedRecord>, isLoading = false): void {
    if (table === "users") this.#setUser(before as Maybe<UserRecord>, after as Maybe<UserRecord>, isLoading);
    if (table === "identities") this.#setIdentity(before as Maybe<IdentityRecord>, after as Maybe<IdentityRecord>);
    if (table === "sessions")
      this.#setSession(before as Maybe<SessionRecord>, after as Maybe<SessionRecord>, isLoading);
    if (table === "states") this.states.set(before as Maybe<StateRecord>, after as Maybe<StateRecord>);
  }

  #setUser(before: Maybe<UserRecord>, after: Maybe<UserRecord>, isLoading: boolean): void {
    replace(this.users, before?.id, after?.id, after);
    replace(this.#usersByEmail, before && fold(before.email), after && fold(after.email), after);
    relist(this.userList, before, after, isLoading);
  }

  #setIdentity(before: Maybe<IdentityRecord>, after: Maybe<IdentityRecord>): void {
    const uidOf = (identity: IdentityRecord): string => `${identity.provider} ${identity.uid}`;
    replace(this.identities, before?.id, after?.id, after);
    replace(this.#identitiesByUid, before && uidOf(before), after && uidOf(after), after);
    regroup(this.#identitiesByUser, before, after);
  }

  #setSession(before: Maybe<SessionRecord>, after: Maybe<SessionRecord>, isLoading: boolean): void {
    replace(this.sessions, before?.session_id, after?.session_id, after);
    regroup(this.#sessionsByUser, before, after);
    relist(this.sessionList, before, after, isLoading);
  }
}

/** A record that keeps its key keeps its place. */
function replace<Record>(
  map: Map<string, Record>,
  oldKey: Maybe<string>,
  key: Maybe<string>,
  record: Maybe<Record>,
): void {
  if (oldKey !== undefined && oldKey !== key) map.delete(oldKey);
  if (key !== undefined && record) map.set(key, record);
}

function relist<Record extends { id: string }>(
  list: List<Record>,
  before: Maybe<Record>,
  after: Maybe<Record>,
  isLoading: boolean,
): void {
  if (before) list.remove(before);
  if (after && isLoading) list.load(after);
  else if (after) list.add(after);
}

/**
 * A user's records, oldest first, those of one time in the order in which they came. One that is renewed keeps its place. They
 * change in place: a copy for each of a user's many sessions would take the square of their number.
 */
function regroup<Record extends { user_id: string; created_at: string }>(
  groups: Map<string, Record[]>,
  before: Maybe<Record>,
  after: Maybe<Record>,
): void {
  const { user_id } = (before ?? after)!;
  const records = groups.get(user_id) ?? [];
  const place = before
    ? records.indexOf(before)
    : records.findLastIndex(({ created_at }) => created_at <= after!.created_at) + 1;
  records.splice(place, before ? 1 : 0, ...(after ? [after] : []));
  if (records.length > 0) groups.set(user_id, records);
  else groups.delete(user_id);
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

  get size(): number {
    return this.#records.size;
  }

  values(): Iterable<StateRecord> {
    return this.#records.values();
  }

  get(state: string): StateRecord | undefined {
    return this.#records.get(state);
  }

  set(before: StateRecord | undefined, after: StateRecord | undefined): void {
    if (before) {
      this.#records.delete(before.state);
      if (this.#oldest === before) this.#oldest = undefined;
    }
    if (after) this.#records.set(after.state, after);
  }

  /** The states to drop: the expired ones, and if there are too many the oldest; at most a batch. */
  outdated(now: string): StateRecord[] {
    const stays = ({ expires_at }: StateRecord): boolean => expires_at > now && this.#records.size <= MAX_STATES;
    if (this.#oldest && stays(this.#oldest)) return [];
    const dropped: StateRecord[] = [];
    for (const record of this.#records.values()) {
      if (dropped.length === 0) this.#oldest = record;
      if (dropped.length === BATCH || stays(record)) break;
      dropped.push(record);
    }
    return dropped;
  }
}
