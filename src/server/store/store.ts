import type { Provider } from "../../wire/names.ts";
import type { Query } from "../../wire/query.ts";
import type {
  IdentityRecord,
  InstanceRecord,
  MovedName,
  PersonaRecord,
  RecordOf,
  Records,
  SessionRecord,
  SettingRecord,
  StateRecord,
  TableName,
  UserRecord,
} from "./records.ts";

/** A user with the providers linked to it, oldest link first. */
export interface UserView {
  readonly user: UserRecord;
  readonly providers: readonly Provider[];
}

export interface PageOptions {
  /** Absent: everything. */
  readonly query?: Query | undefined;
  /** Absent: all. */
  readonly limit?: number | undefined;
  /** The record that the page begins behind: a user's `id`, a session's `session_id`. */
  readonly after?: string | undefined;
}

/** What the store knows of the person who signs in, read in the same atomic step that writes the outcome. */
export interface SignInLookup {
  /** The identity with this provider and uid, and its user. */
  readonly known?: { readonly identity: IdentityRecord; readonly user: UserRecord } | undefined;
  /** Otherwise the user with the same e-mail address, and all of its identities. */
  readonly sameEmail?: { readonly user: UserRecord; readonly identities: readonly IdentityRecord[] } | undefined;
}

export interface SignIn {
  readonly instance_id: string;
  readonly provider: Provider;
  readonly uid: string;
  readonly email: string;
  readonly ip_address: string;
  /** Decides who this is. May throw; then nothing is written. */
  resolveUser(found: SignInLookup): { user: UserRecord; identity: IdentityRecord };
  /** The session to write, given the user's active one of the same provider and address. */
  openSession(user: UserRecord, active: SessionRecord | undefined): SessionRecord;
}

/** A state that one caller has, while its removal is written together with what comes of it. */
export interface TakenState {
  readonly record: StateRecord;
  /**
   * Resolves when the removal is durable, which is to be waited for before anything is answered. False: it was removed
   * otherwise meanwhile. @throws {StorageUnavailable} and then it can be taken again
   */
  readonly removed: Promise<boolean>;
}

/** Is told of what is worth knowing and ends nothing. No secret is in it. */
export type Warn = (message: string) => void;

export interface StoreOptions {
  readonly warn: Warn;
  /** Told how long each write took until it was durable. */
  onCommit?: ((seconds: number) => void) | undefined;
  /** Told once when another process has taken the files: this one can't go on, and writes nothing any more. */
  onTaken?: ((error: StoreRefused) => void) | undefined;
}

/**
 * Where the service keeps its records. Every method is atomic; what it has answered survives the process.
 * Any method may throw `StorageUnavailable`; after that nothing of the call has happened.
 */
export interface Store {
  /** For people: which store this is, e.g. `/home/ada/app/.svc/db.json`. No secret is in it. */
  readonly location: string;

  /** In the order they were made; the first is the default instance. */
  instances(): Promise<readonly InstanceRecord[]>;
  personas(): Promise<readonly PersonaRecord[]>;
  /** Fills an empty store, all or nothing. @throws {StoreNotEmpty} also when another process was faster */
  seed(records: Records): Promise<void>;
  /** Puts these records in the place of whatever there is, all or nothing. */
  replace(records: Records): Promise<void>;

  findUser(instance_id: string, id: string): Promise<UserView | undefined>;
  /** Newest `created_at` first, ties by id, in batches. Undefined if there is no record `after`. */
  users(instance_id: string, options: PageOptions): Promise<AsyncIterable<UserView[]> | undefined>;
  /** The user, its identities and its sessions. False: there was none. */
  deleteUser(instance_id: string, id: string): Promise<boolean>;

  /** By `session_id`, the public one. */
  findSession(instance_id: string, session_id: string): Promise<SessionRecord | undefined>;
  /** Most recent `last_signin_at` first, ties by id, in batches. Undefined if there is no record `after`. */
  sessions(instance_id: string, options: PageOptions): Promise<AsyncIterable<SessionRecord[]> | undefined>;

  /** A record by its key, whatever it belongs to. */
  find<Name extends TableName>(name: Name, key: string): Promise<RecordOf[Name] | undefined>;
  /** A user's links to providers, oldest first. */
  identitiesOf(user_id: string): Promise<readonly IdentityRecord[]>;
  counts(): Promise<Readonly<Record<TableName, number>>>;
  /** Adds records, all or nothing. @throws {Conflict} if one has what must be unique, or belongs to none that is there */
  add(records: Partial<Records>): Promise<void>;
  /**
   * Changes, makes or removes one record; nothing that belongs to it is removed with it.
   * @param decide gets the record as it is, and returns what it shall be; undefined: none. It may be called again when
   * another change was faster, and what it throws is thrown
   * @returns what the record is now
   * @throws {Conflict}
   */
  change<Name extends TableName>(
    name: Name,
    key: string,
    decide: (before: RecordOf[Name] | undefined) => RecordOf[Name] | undefined,
  ): Promise<RecordOf[Name] | undefined>;
  /** An instance and all that belongs to it. False: there was none. */
  removeInstance(id: string): Promise<boolean>;
  /** An instance's users, identities, sessions and states. */
  clearInstance(id: string): Promise<void>;
  /** The settings whose names begin so. */
  settings(prefix: string): Promise<readonly SettingRecord[]>;
  readonly snapshots: Snapshots;
  /**
   * Differs from what it was before whenever instances, personas or settings have changed. Absent: no other process can
   * change them.
   */
  readonly revision?: () => Promise<string>;

  saveState(record: StateRecord): Promise<void>;
  /** Reads a state and begins to remove it: of any number of callers one gets it, and the others wait for the outcome. */
  takeState(state: string): Promise<TakenState | undefined>;
  /** Of a store that keeps connections: how many there are at most, are in use, and are waited for. */
  connections?(): { readonly most: number; readonly inUse: number; readonly waiting: number };

  /** Whether the store can be read and written at the moment. @throws {StorageUnavailable} saying why not */
  probe(): Promise<void>;

  completeSignIn(signIn: SignIn): Promise<{ user: UserRecord; session: SessionRecord }>;

  close(): Promise<void>;
}

/** What a snapshot holds, beside its records. */
export interface SnapshotInfo {
  readonly name: string;
  /** ISO 8601, of the real time. */
  readonly created_at: string;
  /** How many, by kind. */
  readonly records: Readonly<Record<MovedName, number>>;
}

/** Copies of all records and of the clock, kept with the store. */
export interface Snapshots {
  list(): Promise<readonly SnapshotInfo[]>;
  /** In the place of one of this name. */
  save(name: string, created_at: string): Promise<SnapshotInfo>;
  /**
   * Puts it in the place of all records and of the clock, in one step. Other settings stay as they are, but for those
   * whose names begin with `dropped`; sign-ins under way are forgotten. False if there is none of this name.
   */
  restore(name: string, dropped?: string): Promise<boolean>;
  delete(name: string): Promise<boolean>;
}

/** The settings that outlive a new beginning: what another process still seals with them must open. */
export const SECRET_PREFIX = "secret/";
/** The snapshot of what a store was seeded with. It is not listed, and no other can have such a name. */
export const SEEDED = ".seed";
/** The setting that is part of a snapshot. */
export const CLOCK_SETTING = "clock";

/** Something that was to be written is there already, or belongs to what is not; the message says what. */
export class Conflict extends Error {
  override readonly name = "Conflict";
}

/** Why a store can't be used just now, for programs: `docs/operations.md` says what to do about each. */
export const STORE_FAULTS = [
  "store_unavailable",
  "store_changed",
  "store_missing",
  "store_read_only",
  "store_full",
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

/** What was to be seeded is not empty. */
export class StoreNotEmpty extends Error {
  override readonly name = "StoreNotEmpty";
}

/** The store can't be opened; the message says which file, what is wrong and what to do. */
export class StoreRefused extends Error {
  override readonly name = "StoreRefused";
  /** `locked`: another process has it; `damaged`: a checksum does not match; `unusable`: the rest. */
  readonly reason: "locked" | "damaged" | "unusable";

  constructor(reason: "locked" | "damaged" | "unusable", message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
