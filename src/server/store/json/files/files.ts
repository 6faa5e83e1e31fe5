import { constants } from "node:fs";
import { access, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Low } from "lowdb";
import { syncDirectory } from "../../../../disk/write-atomically.ts";
import { VERSION } from "../../records.ts";
import type { StoreOptions, Warn } from "../../store.ts";
import type { Change } from "../document/tables.ts";
import type { Log } from "../document/commits.ts";
import { journalName, makeDirectory, oldName, refuseOthers } from "./directory.ts";
import { Document } from "../document/document.ts";
import { DocumentFile } from "./document-file.ts";
import { closed, codeOf, hanging, notWritable, notOpened } from "./refusals.ts";
import { newId, type Header } from "./header.ts";
import { encodeLine } from "./journal-lines.ts";
import type { Journal } from "./journal.ts";
import { lockStore, type Lock } from "./lock.ts";
import { beginAfter, openJournals } from "./open-journals.ts";
import { Patience, type IsGivenUp } from "./patience.ts";

type Opened = Awaited<ReturnType<typeof openJournals>>;

const IDLE_MS = 1000;
/** Between compactions that fail: each attempt may take the last free space for a moment, and then no change is written. */
const RETRY_MS = 60_000;
const COMPACT_BYTES = 8 << 20;

/**
 * The store's files: `db.json`, the document as of some change, and `db.journal`, every change since. The journal is
 * compacted into the document when it has grown long, when the store is idle, and at the end. Meanwhile
 * `db.journal.old` holds the changes being compacted.
 */
export class Files implements Omit<Log, "gather"> {
  readonly low: Low<Document>;
  readonly #file: DocumentFile;
  readonly #path: string;
  readonly #lock: Lock;
  readonly #warn: Warn;
  #journal: Journal;
  #sequence: number;
  /** Whether `db.journal.old` is there. */
  #hasOld: boolean;
  #isClosed = false;
  #isTaken = false;
  #closing: Promise<void> | undefined;
  #compacting: Promise<void> | undefined;
  /** When nothing has been written for a while. */
  #idle: NodeJS.Timeout | undefined;
  /** No compaction starts by itself before this time. 0 if the last one did not fail. */
  #retryAt = 0;
  /** Of the actions on the files, the last: each waits for those before it. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #patience: Patience;

  private constructor(path: string, low: Low<Document>, file: DocumentFile, opened: Opened, lock: Lock, warn: Warn) {
    this.low = low;
    this.#path = path;
    this.#file = file;
    this.#journal = opened.journal;
    this.#sequence = opened.sequence;
    this.#hasOld = opened.hasOld;
    this.#lock = lock;
    this.#patience = new Patience(path);
    this.#warn = warn;
    this.#plan();
  }

  /** @throws {StoreRefused} */
  static async open(path: string, { warn }: StoreOptions): Promise<Files> {
    await makeDirectory(dirname(path));
    const lock = await lockStore(path).catch((error: unknown) => {
      throw notOpened(path, error);
    });
    try {
      await refuseOthers(path);
      const document = new Document();
      const file = new DocumentFile(path, document);
      const low = new Low<Document>(file, document);
      const opened = await openJournals(path, low, file, warn);
      document.sort();
      return new Files(path, low, file, opened, lock, warn);
    } catch (error) {
      await lock.release();
      throw notOpened(path, error);
    }
  }

  append(changes: readonly Change[]): Promise<void> {
    return this.#inTurn(async (isGivenUp) => {
      this.#file.check();
      await this.#append(changes, isGivenUp);
      this.#plan();
    });
  }

  #turn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(action, action);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /**
   * For a caller, who does not wait for a disk that hangs.
   * @param records how many are written
   * @param before what must have ended first
   */
  #inTurn(
    action: (isGivenUp: IsGivenUp) => Promise<void>,
    records?: number,
    before?: () => Promise<void>,
  ): Promise<void> {
    return this.#patience.run(async (isGivenUp) => {
      await before?.();
      await this.#turn(async () => {
        if (this.#isClosed) throw closed(this.#path);
        if (isGivenUp()) throw hanging(this.#path);
        await action(isGivenUp);
      });
    }, records);
  }

  probe(): Promise<void> {
    return this.#inTurn(async (isGivenUp) => {
      this.#file.check();
      this.#journal.check();
      await access(journalName(this.#path), constants.W_OK).catch((error: unknown) => {
        throw notWritable(journalName(this.#path), error);
      });
      // A disk that failed is tried: a server that is not ready gets no writes that could show it.
      if (this.#journal.hasFailed) await this.#append([], isGivenUp);
    });
  }

  async #append(changes: readonly Change[], isGivenUp: IsGivenUp): Promise<void> {
    await this.#journal.append(encodeLine(this.#sequence + 1, changes), isGivenUp);
    this.#sequence++;
  }

  replace(document: Document, publish: () => void): Promise<void> {
    const replace = (isGivenUp: IsGivenUp): Promise<void> => this.#replace(document, publish, isGivenUp);
    return this.#inTurn(replace, document.size, async () => {
      while (this.#compacting) await this.#compacting;
    });
  }

  async #replace(document: Document, publish: () => void, isGivenUp: IsGivenUp): Promise<void> {
    this.#journal.check();
    const before = this.#file.header;
    try {
      // The journal's changes are older than this; the next compaction takes them away.
      this.#file.header = this.#nextHeader(this.#sequence + 1);
      await new Low(this.#file.unless(isGivenUp), document).write();
    } catch (error) {
      this.#file.header = before;
      throw notWritable(this.#path, error);
    }
    this.#sequence++;
    publish();
    this.#plan();
  }

  /** The process that has the store now, if this one has lost it. */
  async takenBy(): Promise<string | undefined> {
    const owner = await this.#lock.otherOwner();
    this.#isTaken ||= owner !== undefined;
    return owner;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#turn(async () => {
      this.#isClosed = true;
    });
    clearTimeout(this.#idle);
    await this.#compacting;
    if (!this.#isTaken && (this.#journal.length > 0 || this.#hasOld)) await this.#tryToCompact();
    await this.#journal.close();
    await this.#lock.release();
  }

  /** Has the journal compacted when it is long, or when nothing follows. To be called whenever there is more of it. */
  #plan(): void {
    clearTimeout(this.#idle);
    const [journal, document] = [this.#journal.length, this.#file.size];
    const isLong = journal > Math.max(COMPACT_BYTES, document);
    const wait = Math.max(isLong ? 0 : IDLE_MS, this.#retryAt - performance.now());
    const start = (): void => void (this.#compacting ??= this.#compactAndPlan());
    if (wait === 0) start();
    else if (isLong || this.#hasOld || journal * 8 > document) this.#idle = setTimeout(start, wait).unref();
  }

  async #compactAndPlan(): Promise<void> {
    await this.#tryToCompact();
    this.#compacting = undefined;
    // What came meanwhile may be enough for the next.
    if (!this.#isClosed) this.#plan();
  }

  /** A compaction that fails loses nothing: the journal stays until one succeeds. Of several in a row the first is reported. */
  async #tryToCompact(): Promise<void> {
    try {
      await this.#compact();
      this.#retryAt = 0;
    } catch (error) {
      if (this.#retryAt === 0)
        this.#warn(`${this.#path} could not be brought up to date (${codeOf(error)}); the journal keeps everything.`);
      this.#retryAt = performance.now() + RETRY_MS;
    }
  }

  async #compact(): Promise<void> {
    if (!this.#hasOld) await this.#turn(() => this.#rotate());
    let written!: Promise<void>;
    await this.#turn(async () => {
      this.#journal.check();
      // The last change is published by then, and no other is appended: the document is exactly as of its number. A backup
      // that copied the journal before the document would otherwise have a part of what came between.
      await setImmediate();
      this.#file.header = this.#nextHeader(this.#sequence);
      written = this.low.write();
    });
    await written;
    await rm(oldName(this.#path), { force: true });
    await syncDirectory(dirname(this.#path));
    this.#hasOld = false;
  }

  /** Puts the journal aside and starts a new one. */
  async #rotate(): Promise<void> {
    this.#journal.check();
    this.#file.check();
    const header = { store: this.#file.header.store!, after: this.#journal.id!, sequence: this.#sequence };
    const fresh = await beginAfter(this.#path, { ...header, id: newId() });
    await this.#journal.close();
    this.#journal = fresh;
    this.#hasOld = true;
  }

  #nextHeader(sequence: number): Header {
    return { version: VERSION, store: this.#file.header.store, journal: this.#journal.id!, sequence };
  }
}
