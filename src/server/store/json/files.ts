import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Low } from "lowdb";
import { VERSION } from "../records.ts";
import { keepCopy } from "./backup.ts";
import type { Log } from "./commits.ts";
import { journalName, makeDirectory, oldName, prepare, unusable } from "./directory.ts";
import { Document, type Change } from "./document.ts";
import { checkWritable, closed, codeOf, notWritable } from "./failures.ts";
import { encodeLine, Journal, replay } from "./journal.ts";
import { lockStore, type Lock } from "./lock.ts";
import { Snapshot, syncDirectory } from "./snapshot.ts";
import { Turns } from "./turns.ts";

const IDLE_MS = 1000;
const FOLD_BYTES = 8 << 20;

export interface FilesOptions {
  warn(message: string): void;
  /** Told how long each group of changes took until it was on the disk. */
  onCommit?: ((seconds: number) => void) | undefined;
}

/**
 * The store's files: `db.json`, the document as of some change, and `db.journal`, every change since. The journal is
 * folded into the document when it has grown long, when nothing happens, and at the end. While that goes on,
 * `db.journal.old` holds the changes being folded.
 */
export class Files implements Log {
  readonly document: Document;
  readonly #low: Low<Document>;
  readonly #snapshot: Snapshot;
  readonly #path: string;
  readonly #lock: Lock;
  readonly #warn: (message: string) => void;
  #journal: Journal;
  #sequence: number;
  /** Whether `db.journal.old` is there. */
  #hasOld = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #snapshotSize = 0;
  #folding: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
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
    this.document = low.data;
    this.#path = path;
    this.#low = low;
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
    let journal: Journal | undefined;
    try {
      await prepare(path);
      const document = new Document();
      const snapshot = new Snapshot(path, document);
      const low = new Low<Document>(snapshot, document);
      await low.read();
      if (snapshot.version < VERSION) await keepCopy(path, snapshot.version);
      const apply = (change: Change): void => document.apply(change);
      const old = await replay(oldName(path), snapshot.sequence, apply, warn);
      const current = await replay(journalName(path), old.sequence, apply, warn);
      journal = await Journal.open(journalName(path), current.length);
      await syncDirectory(dirname(path));
      document.sort();
      const files = new Files(path, low, snapshot, journal, current.sequence, lock, warn);
      files.#snapshotSize = await snapshot.size();
      if (old.length > 0 || snapshot.version < VERSION) {
        files.#hasOld = old.length > 0;
        snapshot.sequence = current.sequence;
        await files.#fold();
      }
      return files;
    } catch (error) {
      await journal?.close();
      await lock.release();
      throw unusable(path, error);
    }
  }

  append(changes: readonly Change[]): Promise<void> {
    return this.#turns.take(async () => {
      if (this.#isClosed) throw closed(this.#path);
      this.#snapshot.check();
      await this.#append(changes);
      this.#planFold();
    });
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
    await this.#journal.append(encodeLine(this.#sequence + 1, changes));
    this.#sequence++;
  }

  async replace(document: Document, publish: () => void): Promise<void> {
    while (this.#folding) await this.#folding;
    await this.#turns.take(async () => {
      if (this.#isClosed) throw closed(this.#path);
      this.#journal.check();
      const before = this.#snapshot.sequence;
      try {
        // The journal's changes are older than this; the next fold takes them away.
        this.#snapshot.sequence = this.#sequence + 1;
        await this.#snapshot.write(document);
      } catch (error) {
        this.#snapshot.sequence = before;
        throw notWritable(this.#path, error);
      }
      this.#sequence++;
      publish();
      this.#snapshotSize = await this.#snapshot.size();
      this.#planFold();
    });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#turns.take(async () => {
      this.#isClosed = true;
    });
    clearTimeout(this.#idle);
    await this.#folding;
    if (this.#journal.length > 0 || this.#hasOld) await this.#fold();
    const isFolded = this.#journal.isOurs() && this.#journal.length === 0 && !this.#hasOld;
    await this.#journal.close();
    if (isFolded) await rm(journalName(this.#path), { force: true });
    await this.#lock.release();
  }

  #planFold(): void {
    clearTimeout(this.#idle);
    if (this.#journal.length > Math.max(FOLD_BYTES, this.#snapshotSize)) {
      this.#startFold();
    } else if (this.#journal.length * 8 > this.#snapshotSize) {
      this.#idle = setTimeout(() => this.#startFold(), IDLE_MS);
      this.#idle.unref();
    }
  }

  #startFold(): void {
    this.#folding ??= this.#foldAndPlan();
  }

  async #foldAndPlan(): Promise<void> {
    const isDone = await this.#fold();
    this.#folding = undefined;
    // What came meanwhile may be enough for the next.
    if (isDone && !this.#isClosed) this.#planFold();
  }

  /** A fold that fails loses nothing: the journal stays until one succeeds. */
  async #fold(): Promise<boolean> {
    try {
      if (!this.#hasOld) this.#snapshot.sequence = await this.#turns.take(() => this.#rotate());
      await this.#finishFold();
      return true;
    } catch (error) {
      this.#warn(`${this.#path} could not be brought up to date (${codeOf(error)}); the journal keeps everything.`);
      return false;
    }
  }

  async #finishFold(): Promise<void> {
    await this.#turns.take(async () => this.#journal.check());
    await this.#low.write();
    this.#snapshotSize = await this.#snapshot.size();
    await rm(oldName(this.#path), { force: true });
    await syncDirectory(dirname(this.#path));
    this.#hasOld = false;
  }

  /** Begins a new journal. @returns the number of the last change in the old one */
  async #rotate(): Promise<number> {
    const name = journalName(this.#path);
    this.#journal.check();
    this.#snapshot.check();
    await rename(name, oldName(this.#path));
    try {
      const fresh = await Journal.create(name);
      await syncDirectory(dirname(this.#path)).catch(async (error: unknown) => {
        await fresh.close();
        await rm(name);
        throw error;
      });
      await this.#journal.close();
      this.#journal = fresh;
    } catch (error) {
      // One that is there is a successor's: then ours stays aside, where the next start finds it.
      if (!existsSync(name)) await rename(oldName(this.#path), name);
      throw error;
    }
    this.#hasOld = true;
    return this.#sequence;
  }
}
