/** What is done with a store that is not served. A `location` is for people: it has no secret. */
import type { Entry, TableName } from "./records.ts";

/** A store that is read as a whole. It is not changed. */
export interface Source {
  readonly location: string;
  /**
   * All records at one point in time, even if others are written meanwhile: table by table as in `TABLE_NAMES`, within a
   * table in order of creation. States are left out: they expire. Each call returns the same entries.
   */
  entries(): AsyncIterable<readonly Entry[]>;
  close(): Promise<void>;
}

/** A store that is being filled. Until `finish` it can't be opened as a store. */
export interface FillTarget {
  readonly location: string;
  /**
   * Starts, or continues where an interrupted attempt with the same content stopped.
   * @param fingerprint identifies the content. The remains of an attempt with other content are removed
   * @returns how many of the content's entries, from the first, are there already
   * @throws {StoreRefused} if it has anything other than an unfinished attempt
   */
  begin(fingerprint: string): Promise<number>;
  /** Adds the next entries, all or none of them. */
  put(entries: readonly Entry[]): Promise<void>;
  /** Turns it into a store, durably. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreCheck {
  readonly location: string;
  /** The kind of store, e.g. `file, format 1`. */
  readonly kind: string;
  readonly bytes?: number | undefined;
  /** The number of the last change, if changes are numbered. */
  readonly sequence?: number | undefined;
  readonly tables: Readonly<Record<TableName, number>>;
  /** A sentence for each damaged place. */
  readonly damage: readonly string[];
  /** A sentence for each record that belongs to a missing one. */
  readonly dangling: readonly string[];
  /** Why it can't be used until its owner accepts it as it is. */
  readonly doubts?: readonly string[];
  /** Not faults, but worth knowing. */
  readonly notes: readonly string[];
}

/** The result of upgrading a database to the newest schema. The versions are equal if there was nothing to do. */
export interface Migration {
  readonly location: string;
  readonly from: number;
  readonly to: number;
  /** For a database: its functions and triggers that another program had removed. */
  readonly restored?: readonly string[];
  /** For a database: whether there can be indexes for parts of a text, and whether any index was missing and is there now. */
  readonly trigrams?: boolean;
  readonly indexed?: boolean;
}

export interface Driver {
  openSource(): Promise<Source>;
  openTarget(): Promise<FillTarget>;
  check(): Promise<StoreCheck>;
}

/** Opens a store for reading. @throws {StoreRefused} */
export async function fromSource<Result>(driver: Driver, read: (source: Source) => Promise<Result>): Promise<Result> {
  const source = await driver.openSource();
  try {
    return await read(source);
  } finally {
    await source.close();
  }
}
