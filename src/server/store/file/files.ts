import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { dirname } from "node:path";
import type { Low } from "lowdb";
import type { Log } from "../memory/commits.ts";
import type { Change, Tables } from "../memory/tables.ts";
import { journalName } from "./directory.ts";
import type { DocumentFile } from "./document.ts";
import { newId } from "./headings.ts";
import { Journal } from "./journal.ts";
import { journalLine } from "./journal-reader.ts";
import type { Lock } from "./lock.ts";
import { closed, notWritable } from "./refusals.ts";

const COMPACT_BYTES = 16 << 20;

interface FilesParts {
  /** Of `db.json`. */
  readonly path: string;
  /** Its data are all records. */
  readonly low: Low<Tables>;
  readonly file: DocumentFile;
  readonly lock: Lock;
  /** The id of the store. */
  readonly store: string;
  readonly journal: Journal;
  /** Of the last change. */
  readonly number: number;
}

/**
 * The files of an open store: `db.json`, the document as of some change, and `db.journal`, every change since. One thing is
 * written at a time, which `Commits` sees to.
 */
export class Files implements Omit<Log, "onHang"> {
  readonly path: string;
  /** The id of the store. */
  readonly store: string;
  readonly #low: Low<Tables>;
  readonly #file: DocumentFile;
  readonly #lock: Lock;
  #journal: Journal;
  #number: number;
  #isClosed = false;

  constructor({ path, low, file, lock, store, journal, number }: FilesParts) {
    this.path = path;
    this.store = store;
    this.#low = low;
    this.#file = file;
    this.#lock = lock;
    this.#journal = journal;
    this.#number = number;
    // Another process that has taken the store may have begun a journal, and left the document alone.
    file.guard = () => this.#journal.check();
  }

  get tables(): Tables {
    return this.#low.data;
  }

  /** How many bytes of changes are not in the document. */
  get journalBytes(): number {
    return this.#journal.length;
  }

  get isLong(): boolean {
    return this.#journal.length > Math.max(COMPACT_BYTES, this.#file.size);
  }

  /** Whether the last change could not be written. */
  get hasFailed(): boolean {
    return this.#journal.hasFailed;
  }

  async append(changes: readonly Change[]): Promise<void> {
    this.#refuseClosed();
    this.#file.check();
    await this.#journal.append(journalLine(this.#number + 1, changes));
    this.#number++;
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

  /** Brings the journal into the document. */
  compact(): Promise<void> {
    this.#refuseClosed();
    return this.#write(this.#number);
  }

  /** Writes the document, and begins the journal that continues it. */
  async #write(number: number): Promise<void> {
    const before = this.#file.heading;
    try {
      this.#journal.check();
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
    const fresh = await Journal.begin(journalName(this.path), heading, { beforeNaming: () => old.check() }).catch(
      () => undefined,
    );
    if (!fresh) return;
    this.#journal = fresh;
    await old.close();
  }

  /** Whether changes and documents could be written now. @throws {StorageUnavailable} saying why not */
  async probe(): Promise<void> {
    this.#refuseClosed();
    this.#file.check();
    this.#journal.check();
    for (const name of [dirname(this.path), journalName(this.path)])
      await access(name, constants.W_OK).catch((error: unknown) => {
        throw notWritable(name, error);
      });
  }

  /** The process that has the store now, if this one has lost it. */
  takenBy(): Promise<string | undefined> {
    return this.#lock.otherOwner();
  }

  /** @param compacts whether to bring the journal into the document first. @throws if that fails; it is closed even so */
  async close(compacts: boolean): Promise<void> {
    if (this.#isClosed) return;
    try {
      if (compacts && this.#journal.length > 0) await this.compact();
    } finally {
      this.#isClosed = true;
      await this.#journal.close();
      await this.#lock.release();
    }
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw closed(this.path);
  }
}
