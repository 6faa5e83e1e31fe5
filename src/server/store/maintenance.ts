import type { Entry, TableName } from "./records.ts";

/** A store to be read whole: what `svc store copy` and `svc store export` take from. Nothing of it is changed. */
export interface Source {
  /** For people; no secret is in it. */
  readonly location: string;
  /**
   * All records as they were at one moment, however much is written meanwhile: table by table as in `TABLE_NAMES`, within
   * one in the order in which they came to be. States are left out: they pass. Each call gives the same entries again.
   */
  entries(): AsyncIterable<readonly Entry[]>;
  close(): Promise<void>;
}

/** A store to be filled from elsewhere. Until `finish` it can't be opened as a store. */
export interface Target {
  readonly location: string;
  /**
   * Begins, or goes on where an earlier attempt to put the same content there was broken off.
   * @param fingerprint tells the same content from other content, of which whatever an earlier attempt left is removed
   * @returns how many of the content's entries, counted from the first, are there already
   * @throws {StoreRefused} when it holds anything that is not an unfinished attempt
   */
  begin(fingerprint: string): Promise<number>;
  /** Adds the next entries, all or none of them. */
  put(entries: readonly Entry[]): Promise<void>;
  /** Makes a store of it, durably. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** What is found where all of a store is read: whether it is what was written, and holds together. */
export interface StoreCheck {
  /** For people; no secret is in it. */
  readonly location: string;
  /** What it is, e.g. `json, format 1`. */
  readonly kind: string;
  /** How much it takes on the disk, where that is known. */
  readonly bytes?: number | undefined;
  /** The number of the last change, where changes have numbers. */
  readonly sequence?: number | undefined;
  readonly tables: Readonly<Record<TableName, number>>;
  /** A sentence for each damaged place. */
  readonly damage: readonly string[];
  /** A sentence for each record that belongs to another that isn't there. */
  readonly dangling: readonly string[];
  /** Not faults, but worth knowing. */
  readonly notes: readonly string[];
}

/** What bringing a store to the newest format did; the same number twice: there was nothing to do. */
export interface Migration {
  /** For people; no secret is in it. */
  readonly location: string;
  readonly from: number;
  readonly to: number;
  /** Of a database: whether searches for a part of a text have an index, and whether it was created just now. */
  readonly trigrams?: boolean;
  readonly indexed?: boolean;
}
