import type { Provider } from "../../wire/providers.ts";
import type { Query } from "../../wire/search/query.ts";
import type {
  IdentityRecord,
  InstanceRecord,
  KeyOf,
  MovedName,
  PersonaRecord,
  RecordOf,
  Records,
  SessionRecord,
  SettingRecord,
  StateRecord,
  TableName,
  TenantCounts,
  TenantName,
  UserRecord,
} from "./records.ts";

/** A user with the providers linked to it, oldest link first. */
export interface UserView {
  readonly user: UserRecord;
  readonly providers: readonly Provider[];
}

/** A place in a list: what it is sorted by, and the `id` of the row, which decides between rows of one time. */
export interface Position {
  readonly time: string;
  readonly id: string;
}

export interface PageOptions {
  readonly query?: Query | undefined;
  readonly limit?: number | undefined;
  /** Where the previous page ended. The row that was there may have moved or been deleted. */
  readonly after?: Position | undefined;
}

/** What the store has of the user who signs in, read in the same atomic step that writes the result. */
export interface SignInLookup {
  /** The identity with this provider and uid, and its user. */
  readonly known?: { readonly identity: IdentityRecord; readonly user: UserRecord } | undefined;
  /** Otherwise the user with the same e-mail address, and all of its identities. */
  readonly sameEmail?: { readonly user: UserRecord; readonly identities: readonly IdentityRecord[] } | undefined;
}

/** A state that one caller has taken: no other gets it. */
export interface ClaimedState {
  readonly record: StateRecord;
  /** Resolves when its removal is durable. @throws {StorageUnavailable} if it can't be; then the state can be taken again */
  end(): Promise<void>;
}

export interface Resolution {
  readonly user: UserRecord;
  readonly identity: IdentityRecord;
  /** What is removed in the same step. Absent: nothing. */
  readonly cleared?: Cleared | undefined;
}

export interface Cleared {
  /** The ids of the user's identities to remove. */
  readonly identities: readonly string[];
  /** All open sessions of the user get it, and none of them is renewed. ISO 8601. */
  readonly revoked_at: string;
}

export interface StoredSignIn {
  readonly instance_id: string;
  readonly provider: Provider;
  readonly uid: string;
  readonly email: string;
  readonly ip_address: string;
  /** The claimed state that the sign-in ends: its removal is durable when the sign-in is. */
  readonly state?: string;
  /** Decides which user this is. If it throws, nothing is written. */
  resolveUser(found: SignInLookup): Resolution;
  /** The session to write, given the user's active one of the same provider and address, unless it is revoked now. */
  openSession(user: UserRecord, active: SessionRecord | undefined): SessionRecord;
}

/** Receives warnings. They contain no secrets. */
export type Warn = (message: string) => void;

export interface OpenStoreOptions {
  readonly warn: Warn;
  /** Called with the time until each write was durable. */
  onCommit?: ((seconds: number) => void) | undefined;
  /** Called once when another process has taken the files. This one can't continue, and no longer writes. */
  onTaken?: ((error: StoreRefused) => void) | undefined;
}

/**
 * The service's records. Every method is atomic, and its result is durable when it resolves.
 * Any method may throw `StorageUnavailable`; then the call has had no effect, unless the process is killed while the disk hangs.
 */
export interface Store {
  /** The store's name in messages, e.g. `/home/ada/.local/share/svc/stores/app-1f3870be/db.json`, without secrets. */
  readonly location: string;

  /** In order of creation; the first is the default instance. */
  instances(): Promise<readonly InstanceRecord[]>;
  personas(): Promise<readonly PersonaRecord[]>;
  /** Fills an empty store, all or nothing. @throws {StoreNotEmpty} also if another process was faster */
  seed(records: Records): Promise<void>;
  /** Replaces all records, all or nothing. */
  replace(records: Records): Promise<void>;

  findUser(instance_id: string, id: string): Promise<UserView | undefined>;
  /** Newest `created_at` first, ties by id, in batches. */
  users(instance_id: string, options: PageOptions): AsyncIterable<UserView[]>;
  /** Deletes a user, its identities and its sessions. False if there was none. */
  deleteUser(instance_id: string, id: string): Promise<boolean>;

  /** Most recent `last_signin_at` first, ties by id, in batches. */
  sessions(instance_id: string, options: PageOptions): AsyncIterable<SessionRecord[]>;
  /**
   * Deletes sessions of an instance that have had neither a sign-in nor a revocation since a time. One that is renewed
   * meanwhile stays.
   * @param before ISO 8601
   * @returns how many: fewer than `limit` if no others are left, or another process has them
   */
  pruneSessions(instance_id: string, before: string, limit: number): Promise<number>;

  /** A record by its key: of users, identities and sessions within their instance. That of a session is its `session_id`. */
  find<Name extends TableName>(name: Name, key: KeyOf<Name>): Promise<RecordOf[Name] | undefined>;
  /** The ids of the instances that have a record with this key. */
  instancesWith(name: TenantName, key: string): Promise<readonly string[]>;
  /** A user's links to providers, oldest first. */
  identitiesOf(instance_id: string, user_id: string): Promise<readonly IdentityRecord[]>;
  /** Beyond `maxCounted` they are estimates. */
  counts(): Promise<Readonly<Record<TableName, number>>>;
  /** Absent: all counts are exact. */
  readonly maxCounted?: number;
  /** Adds records, all or nothing. @throws {Conflict} if a unique value is taken, or the record that one belongs to is missing */
  add(records: Partial<Records>): Promise<void>;
  /**
   * Changes, creates or removes one record. Records that belong to it are not removed.
   * @param decide gets the current record and returns the new one, or undefined to remove it. It is called again if
   * another change was faster. What it throws is thrown
   * @returns the new record
   * @throws {Conflict}
   */
  change<Name extends TableName>(
    name: Name,
    key: KeyOf<Name>,
    decide: (before: RecordOf[Name] | undefined) => RecordOf[Name] | undefined,
  ): Promise<RecordOf[Name] | undefined>;
  /** Removes an instance and everything that belongs to it. False if there was none. */
  removeInstance(id: string): Promise<boolean>;
  /** Removes an instance's users, identities, sessions and states. */
  clearInstance(id: string): Promise<void>;
  settings(prefix: string): Promise<readonly SettingRecord[]>;
  readonly snapshots: SnapshotStore;
  /**
   * Changes whenever instances, personas or settings change. Absent if no other process can change them.
   */
  readonly revision?: () => Promise<string>;
  /** Calls a listener when changes that were answered as failed, because the disk hung, have been made after all. */
  onLate?(listener: () => void): void;

  saveState(record: StateRecord): Promise<void>;
  /**
   * Takes a state: of several callers one gets it, and the others get nothing, at once. Nothing may be answered
   * before its removal is durable, by the sign-in that names it or by `end`. Until then a crash brings it back.
   */
  claimState(state: string): Promise<ClaimedState | undefined>;
  /** For a store with a connection pool: its size, the connections in use, and the requests that wait for one. */
  connections?(): { readonly most: number; readonly inUse: number; readonly waiting: number };

  /** The time of its own clock, which all its processes share. Absent if it has none; undefined if it was not read yet. */
  now?(): Date | undefined;
  /** How far this machine's clock is ahead of that one, in milliseconds. */
  clockAheadMs?(): number;
  /** Writes that can't end, because the database waits for a synchronous standby. */
  hangingCommits?(): number;
  /** How many statements ran into their time limit, or waited too long for a lock. */
  timeouts?(): number;

  /** For a store with a journal: how many bytes of changes are not in its document. */
  journalBytes?(): number;
  /** Whether the store can be read and written at the moment. @throws {StorageUnavailable} saying why not */
  probe(): Promise<void>;

  completeSignIn(signIn: StoredSignIn): Promise<{ user: UserRecord; session: SessionRecord }>;

  close(): Promise<void>;
}

export interface SnapshotInfo {
  readonly name: string;
  /** ISO 8601, of the real time. */
  readonly created_at: string;
  readonly records: Readonly<Record<MovedName, number>>;
}

/** Copies of all records and of the clock, stored beside them. */
export interface SnapshotStore {
  list(): Promise<readonly SnapshotInfo[]>;
  /** Replaces a snapshot of the same name. */
  save(name: string, created_at: string): Promise<SnapshotInfo>;
  /**
   * Replaces all records and the clock, in one step. Settings whose names start with `dropped` are removed, others are
   * kept. Unfinished sign-ins are removed. False if there is no snapshot of this name.
   */
  restore(name: string, dropped?: string): Promise<boolean>;
  /** How many records a snapshot has of an instance. Undefined if no snapshot of this name has the instance. */
  countsOf(name: string, instance_id: string): Promise<TenantCounts | undefined>;
  /**
   * Replaces an instance's users, identities and sessions, in one step, and removes its unfinished sign-ins. The instance
   * itself and all others stay as they are, and so do settings and personas.
   * @returns what was restored, as `countsOf` says it
   * @throws {Conflict} if the instance was deleted meanwhile
   */
  restoreInstance(name: string, instance_id: string): Promise<TenantCounts | undefined>;
  delete(name: string): Promise<boolean>;
}

/** Settings that survive a replacement of all records: what other processes seal with them must stay readable. */
export const SECRET_PREFIX = "secret/";
/** The snapshot of a store's seed. It is not listed, and its name is not a valid name for others. */
export const SEEDED = ".seed";
/** The setting that is part of a snapshot. */
export const CLOCK_SETTING = "clock";

/** A record exists already (`AlreadyExists`), or the one that it belongs to does not. The message names it. */
export class Conflict extends Error {
  override readonly name = "Conflict";
}

export class AlreadyExists extends Conflict {}

/** Why a store can't be used at the moment. `docs/operations.md` says what to do about each. */
export const STORE_FAULTS = [
  "store_unavailable",
  "store_changed",
  "store_missing",
  "store_read_only",
  "store_full",
  "clock_differs",
  "store_closed",
] as const;
export type StoreFault = (typeof STORE_FAULTS)[number];

/** The store can't be read or written at the moment: disk full, database down. The service answers 503. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
  readonly code: StoreFault;

  constructor(message: string, { code = "store_unavailable", ...options }: ErrorOptions & { code?: StoreFault } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** A search that takes longer than the store lets one statement take. With a narrower query it can succeed. */
export class SearchTooSlow extends Error {
  override readonly name = "SearchTooSlow";
}

export class StoreNotEmpty extends Error {
  override readonly name = "StoreNotEmpty";
}

/** The store can't be opened; the message says which file, what is wrong and what to do. */
export class StoreRefused extends Error {
  override readonly name = "StoreRefused";
  /**
   * `locked` if another process has it, `damaged` if a checksum does not match, `unavailable` if it can't be reached or
   * written now, so that a later start may succeed; otherwise `unusable`.
   */
  readonly reason: "locked" | "damaged" | "unavailable" | "unusable";

  constructor(reason: StoreRefused["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
