import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Low } from "lowdb";
import { VERSION } from "../records.ts";
import type { StoreRefused } from "../store.ts";
import type { Log } from "./commits.ts";
import { journalName, makeDirectory, oldName, prepare, unusable } from "./directory.ts";
import { Document, type Change } from "./document.ts";
import { checkWritable, closed, codeOf, notWritable } from "./failures.ts";
import { newId, type Header } from "./header.ts";
import { encodeLine } from "./journal-reader.ts";
import type { Journal } from "./journal.ts";
import { lockStore, type Lock } from "./lock.ts";
import { syncDirectory } from "../../../disk/sync-directory.ts";
import { beginAfter, openJournals } from "./open-journals.ts";
import { checkRoom } from "./room.ts";
import { Snapshot } from "./snapshot.ts";
import { Turns } from "./turns.ts";

const IDLE_MS = 1000;
/** Between compactions that fail: each attempt may take the last free space for a moment, and then no change is written. */
const RETRY_MS = 60_000;
const COMPACT_BYTES = 8 << 20;

export interface FilesOptions {
  warn(message: string): void;
  /** Told how long each group of changes took until it was on the disk. */
  onCommit?: ((seconds: number) => void) | undefined;
  /** Told once when another process has taken the store, although this one held it. Nothing is written any more. */
  onTaken?: ((error: StoreRefused) => void) | undefined;
}

/**
 * The store's files: `db.json`, the document as of some change, and `db.journal`, every change since. The journal is
 * compacted into the document when it has grown long, when nothing happens, and at the end. While that goes on,
 * `db.journal.old` holds the changes being compacted.
 */
export class Files implements Log {
  readonly low: Low<Document>;
  readonly #snapshot: Snapshot;
  readonly #path: string;
  readonly #lock: Lock;
  readonly #warn: (message: string) => void;
  #journal: Journal;
  #sequence: number;
  /** Whether `db.journal.old` is there. */
  #hasOld = false;
  #isClosed = false;
  #isTaken = false;
  #closing: Promise<void> | undefined;
  #snapshotSize = 0;
  #compaction: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** No compaction begins by itself before this moment. 0: the last one did not fail. */
  #retryAt = 0;
  readonly #turns = new Turns();

  private constructor(
    path: string,
    low: Low<Document>,
    snapshot: Snapshot,
    journal: Journal,
    sequence: number,
    lock: Lock,
    warn: (message: string) => void,
  ) {
    this.low = low;
    this.#path = path;
    this.#snapshot = snapshot;
    this.#journal = journal;
    this.#sequence = sequence;
    this.#lock = lock;
    this.#warn = warn;
  }

  /** @throws {StoreRefused} */
  static async open(path: string, { warn }: FilesOptions): Promise<Files> {
    await makeDirectory(dirname(path));
    const lock = await lockStore(path).catch((error: unknown) => {
      throw unusable(path, error);
    });
    try {
      await prepare(path);
      const document = new Document();
      const snapshot = new Snapshot(path, document);
      const low = new Low<Document>(snapshot, document);
      const { journal, sequence, hasOld } = await openJournals(path, low, snapshot, warn);
      document.sort();
      const files = new Files(path, low, snapshot, journal, sequence, lock, warn);
      files.#snapshotSize = await snapshot.size();
      snapshot.header = files.#nextHeader(hasOld ? sequence : snapshot.header.sequence);
      files.#hasOld = hasOld;
      files.#planCompaction();
      return files;
    } catch (error) {
      await lock.release();
      throw unusable(path, error);
    }
  }

  append(changes: readonly Change[]): Promise<void> {
    return this.#turns.take(async () => {
      if (this.#isClosed) throw closed(this.#path);
      this.#snapshot.check();
      await this.#append(changes);
      this.#planCompaction();
    });
  }

  gather(): Promise<void> {
    return setImmediate();
  }

  probe(): Promise<void> {
    return this.#turns.take(async () => {
      if (this.#isClosed) throw closed(this.#path);
      this.#snapshot.check();
      this.#journal.check();
      await checkWritable(journalName(this.#path));
      // A disk that failed is tried: a server that is not ready gets no writes that could show it.
      if (this.#journal.hasFailed) await this.#append([]);
    });
  }

  async #append(changes: readonly Change[]): Promise<void> {
    if (this.#journal.hasFailed) await checkRoom(journalName(this.#path));
    await this.#journal.append(encodeLine(this.#sequence + 1, changes));
    this.#sequence++;
  }

  async replace(document: Document, publish: () => void): Promise<void> {
    while (this.#compaction) await this.#compaction;
    await this.#turns.take(async () => {
      if (this.#isClosed) throw closed(this.#path);
      this.#journal.check();
      const before = this.#snapshot.header;
      try {
        // The journal's changes are older than this; the next compaction takes them away.
        this.#snapshot.header = this.#nextHeader(this.#sequence + 1);
        await this.#snapshot.write(document);
      } catch (error) {
        this.#snapshot.header = before;
        throw notWritable(this.#path, error);
      }
      this.#sequence++;
      publish();
      this.#snapshotSize = await this.#snapshot.size();
      this.#planCompaction();
    });
  }

  /** The process that has the store now, where this one has lost it. */
  async takenBy(): Promise<string | undefined> {
    const owner = await this.#lock.otherOwner();
    this.#isTaken ||= owner !== undefined;
    return owner;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#turns.take(async () => {
      this.#isClosed = true;
    });
    clearTimeout(this.#idle);
    await this.#compaction;
    if (!this.#isTaken && (this.#journal.length > 0 || this.#hasOld)) await this.#compact();
    await this.#journal.close();
    await this.#lock.release();
  }

  #planCompaction(): void {
    clearTimeout(this.#idle);
    const isLong = this.#journal.length > Math.max(COMPACT_BYTES, this.#snapshotSize);
    const wait = Math.max(isLong ? 0 : IDLE_MS, this.#retryAt - performance.now());
    if (wait === 0) {
      this.#startCompaction();
    } else if (isLong || this.#hasOld || this.#journal.length * 8 > this.#snapshotSize) {
      this.#idle = setTimeout(() => this.#startCompaction(), wait);
      this.#idle.unref();
    }
  }

  #startCompaction(): void {
    this.#compaction ??= this.#compactAndPlan();
  }

  async #compactAndPlan(): Promise<void> {
    await this.#compact();
    this.#compaction = undefined;
    // What came meanwhile may be enough for the next.
    if (!this.#isClosed) this.#planCompaction();
  }

  /** A compaction that fails loses nothing: the journal stays until one succeeds. Only the first failure is reported. */
  async #compact(): Promise<void> {
    const isRetry = this.#retryAt > 0;
    try {
      if (!this.#hasOld) await this.#turns.take(() => this.#rotate());
      await this.#finishCompaction();
      this.#retryAt = 0;
    } catch (error) {
      this.#retryAt = performance.now() + RETRY_MS;
      if (isRetry) return;
      this.#warn(`${this.#path} could not be brought up to date (${codeOf(error)}); the journal keeps everything.`);
    }
  }

  async #finishCompaction(): Promise<void> {
    await this.#turns.take(async () => this.#journal.check());
    await this.low.write();
    this.#snapshotSize = await this.#snapshot.size();
    await rm(oldName(this.#path), { force: true });
    await syncDirectory(dirname(this.#path));
    this.#hasOld = false;
  }

  /** Puts the journal aside and begins a new one. */
  async #rotate(): Promise<void> {
    this.#journal.check();
    this.#snapshot.check();
    const header = { store: this.#snapshot.store!, after: this.#journal.id!, sequence: this.#sequence };
    const fresh = await beginAfter(this.#path, { ...header, id: newId() });
    await this.#journal.close();
    this.#journal = fresh;
    this.#snapshot.header = this.#nextHeader(this.#sequence);
    this.#hasOld = true;
  }

  #nextHeader(sequence: number): Header {
    return { version: VERSION, store: this.#snapshot.store, journal: this.#journal.id!, sequence };
  }
}
