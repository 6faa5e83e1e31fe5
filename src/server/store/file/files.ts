import type { Low } from "lowdb";
import type { Log } from "../memory/commits.ts";
import type { Change, Tables } from "../memory/tables.ts";
import type { OpenStoreOptions } from "../store.ts";
import { journalName } from "./directory.ts";
import type { DocumentFile } from "./document.ts";
import { newId } from "./headings.ts";
import { Journal, journalLine } from "./journal.ts";
import type { Lock } from "./lock.ts";
import { createOutage } from "./outage.ts";
import { closed, codeOf, notWritable } from "./refusals.ts";

const COMPACT_BYTES = 16 << 20;

/** Between compactions that fail: each attempt may take the last free space for a moment, and then no change is written. */
const RETRY_MS = 60_000;

interface OpenedFiles {
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

export type Files = ReturnType<typeof createFiles>;

/**
 * The files of an open store: `db.json`, the document as of some change, and `db.journal`, every change since. One thing is
 * written at a time, which `Commits` sees to.
 *
 * The lock does not reach other machines, and a process that was stopped may have a successor. So whoever writes looks, right
 * before it and when it is on the disk, whether both names have our files, and the journal is as long as we left it. A look is
 * synchronous, so that nothing runs between it and what depends on it. Nothing else looks: whoever only asks would do so while
 * a line of ours is on its way.
 */
export function createFiles(opened: OpenedFiles, options: OpenStoreOptions) {
  const { path, low, file, lock, store } = opened;
  const outage = createOutage(path, lock, options);
  let { journal, number } = opened;
  /** No compaction starts before this time. 0 if the last one did not fail. */
  let retryAt = 0;
  let isClosed = false;
  // Another process that has taken the store may have begun a journal, and left the document alone.
  file.guard = () => journal.look();

  function refuseClosed(): void {
    if (isClosed) throw closed(path);
  }

  function look(): void {
    file.look();
    journal.look();
  }

  /** Writes the document, and begins the journal that continues it. */
  async function write(last: number): Promise<void> {
    const before = file.heading;
    try {
      look();
      file.heading = { store, journal: journal.id, number: last };
      await low.write();
    } catch (error) {
      file.heading = before;
      throw notWritable(path, error);
    }
    number = last;
    await beginJournal();
  }

  /** If it fails, the old journal goes on: the document names it, and has what is in it up to `number`. */
  async function beginJournal(): Promise<void> {
    const old = journal;
    const heading = { store, id: newId(), after: old.id, number };
    const fresh = await Journal.begin(journalName(path), heading, { beforeNaming: () => old.look() }).catch(
      () => undefined,
    );
    if (!fresh) return;
    journal = fresh;
    await old.close();
  }

  /** Brings the journal into the document, or says that it could not: then the journal goes on. */
  async function compact(): Promise<void> {
    try {
      refuseClosed();
      await write(number);
      retryAt = 0;
    } catch (error) {
      if (retryAt === 0)
        options.warn(
          `${path} could not be brought up to date (${codeOf(error)}); the journal keeps everything, and grows until it can be.`,
        );
      retryAt = performance.now() + RETRY_MS;
    }
  }

  return {
    store,
    get tables(): Tables {
      return low.data;
    },
    get journalBytes(): number {
      return journal.length;
    },
    get isLong(): boolean {
      return journal.length > Math.max(COMPACT_BYTES, file.size) && performance.now() >= retryAt;
    },
    get hasFailed(): boolean {
      return journal.hasFailed;
    },

    async append(changes: readonly Change[]): Promise<void> {
      const started = performance.now();
      try {
        refuseClosed();
        await journal.append(journalLine(number + 1, changes), look);
      } catch (error) {
        await outage.began(error);
        throw error;
      }
      number++;
      outage.ended();
      options.onCommit?.((performance.now() - started) / 1000);
    },

    async replace(tables: Tables): Promise<void> {
      refuseClosed();
      const before = low.data;
      low.data = tables;
      try {
        await write(number + 1);
      } catch (error) {
        low.data = before;
        throw error;
      }
    },

    compact,
    onHang: (fault) => void outage.began(fault),

    /** Brings the journal into the document first, where that is ours. */
    async close(): Promise<void> {
      if (isClosed) return;
      if (journal.length > 0) await compact();
      isClosed = true;
      await journal.close();
      await lock.release();
    },
  } satisfies Log & Record<string, unknown>;
}
