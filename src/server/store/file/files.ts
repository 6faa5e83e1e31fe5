import type { Low } from "lowdb";
import type { Log } from "../memory/commits.ts";
import type { Change, Tables } from "../memory/tables.ts";
import type { StorageUnavailable, OpenStoreOptions } from "../store.ts";
import { journalName } from "./directory.ts";
import type { DocumentFile } from "./document.ts";
import { newId } from "./headings.ts";
import { Journal, journalLine } from "./journal.ts";
import type { Lock } from "./lock.ts";
import { Outage } from "./outage.ts";
import { closed, codeOf, notWritable } from "./refusals.ts";

const COMPACT_BYTES = 16 << 20;

/** Between compactions that fail: each attempt may take the last free space for a moment, and then no change is written. */
const RETRY_MS = 60_000;

export interface FilesParts {
  /** Of `db.json`. */
  readonly path: string;
  /** Its data are all records. */
  readonly low: Low<Tables>;
  readonly file: DocumentFile;
  readonly lock: Lock;
  readonly store: string;
  readonly journal: Journal;
  /** Of the last change. */
  readonly number: number;
}

/**
 * The files of an open store: `db.json`, the document as of some change, and `db.journal`, every change since. One thing is
 * written at a time, which `Commits` sees to. Whether another process has written is looked at where something is written,
 * and nowhere else: whoever only asks would look while a line of ours is on its way.
 */
export class Files implements Log {
  readonly path: string;
  readonly store: string;
  readonly #low: Low<Tables>;
  readonly #file: DocumentFile;
  readonly #lock: Lock;
  readonly #options: OpenStoreOptions;
  readonly #outage: Outage;
  #journal: Journal;
  #number: number;
  /** No compaction starts before this time. 0 if the last one did not fail. */
  #retryAt = 0;
  #isClosed = false;

  constructor({ path, low, file, lock, store, journal, number }: FilesParts, options: OpenStoreOptions) {
    this.path = path;
    this.store = store;
    this.#low = low;
    this.#file = file;
    this.#lock = lock;
    this.#journal = journal;
    this.#number = number;
    this.#options = options;
    this.#outage = new Outage(path, lock, options);
    // Another process that has taken the store may have begun a journal, and left the document alone.
    file.guard = () => this.#journal.look();
  }

  get tables(): Tables {
    return this.#low.data;
  }

  /** How many bytes of changes are not in the document. */
  get journalBytes(): number {
    return this.#journal.length;
  }

  get isLong(): boolean {
    return this.#journal.length > Math.max(COMPACT_BYTES, this.#file.size) && performance.now() >= this.#retryAt;
  }

  /** Whether the last change could not be written. */
  get hasFailed(): boolean {
    return this.#journal.hasFailed;
  }

  async append(changes: readonly Change[]): Promise<void> {
    const started = performance.now();
    try {
      this.#refuseClosed();
      await this.#journal.append(journalLine(this.#number + 1, changes), () => this.#look());
    } catch (error) {
      await this.#outage.began(error);
      throw error;
    }
    this.#number++;
    this.#outage.ended();
    this.#options.onCommit?.((performance.now() - started) / 1000);
  }

  async replace(tables: Tables): Promise<void> {
    this.#refuseClosed();
    const before = this.#low.data;
    this.#low.data = tables;
    try {
      await this.#write(this.#number + 1);
    } catch (error) {
      this.#low.data = before;
      throw error;
    }
  }

  /** Brings the journal into the document, or says that it could not: then the journal goes on. */
  async compact(): Promise<void> {
    try {
      this.#refuseClosed();
      await this.#write(this.#number);
      this.#retryAt = 0;
    } catch (error) {
      if (this.#retryAt === 0)
        this.#options.warn(
          `${this.path} could not be brought up to date (${codeOf(error)}); the journal keeps everything, and grows until it can be.`,
        );
      this.#retryAt = performance.now() + RETRY_MS;
    }
  }

  onHang(fault: StorageUnavailable): void {
    void this.#outage.began(fault);
  }

  /** @throws {StorageUnavailable} if another process has written */
  #look(): void {
    this.#file.look();
    this.#journal.look();
  }

  /** Writes the document, and begins the journal that continues it. */
  async #write(number: number): Promise<void> {
    const before = this.#file.heading;
    try {
      this.#look();
      this.#file.heading = { store: this.store, journal: this.#journal.id, number };
      await this.#low.write();
    } catch (error) {
      this.#file.heading = before;
      throw notWritable(this.path, error);
    }
    this.#number = number;
    await this.#beginJournal();
  }

  /** If it fails, the old journal goes on: the document names it, and has what is in it up to `number`. */
  async #beginJournal(): Promise<void> {
    const old = this.#journal;
    const heading = { store: this.store, id: newId(), after: old.id, number: this.#number };
    const fresh = await Journal.begin(journalName(this.path), heading, { beforeNaming: () => old.look() }).catch(
      () => undefined,
    );
    if (!fresh) return;
    this.#journal = fresh;
    await old.close();
  }

  /** Brings the journal into the document first, where that is ours. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#journal.length > 0) await this.compact();
    this.#isClosed = true;
    await this.#journal.close();
    await this.#lock.release();
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw closed(this.path);
  }
}
