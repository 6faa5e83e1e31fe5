import { resolve } from "node:path";
import { clearInterval, setInterval } from "node:timers";
import { type Store, type StoreOptions, StorageUnavailable } from "../store.ts";
import { Commits, type Log } from "../memory/commits.ts";
import { createOperations } from "../memory/memory-store.ts";
import { followed, readableFiles } from "./directory.ts";
import type { Files } from "./files.ts";
import { openFiles } from "./open-files.ts";
import { codeOf, taken } from "./refusals.ts";
import { createSnapshotFiles } from "./snapshot-files.ts";

const HOUR_MS = 3_600_000;
/** A start with more takes seconds, and each writing of `db.json` holds up changes for as long. */
const MANY_USERS = 100_000;
/** Between compactions that fail: each attempt may take the last free space for a moment, and then no change is written. */
const RETRY_MS = 60_000;

export interface FileStore extends Store {
  /** Brings the journal into `db.json` now. */
  compact(): Promise<void>;
}

/**
 * Opens the file store; `path` is that of its `db.json`. One process at a time may have it.
 * @throws {StoreRefused} when another process has it, or it is damaged
 */
export async function openFileStore(path: string, options: StoreOptions): Promise<FileStore> {
  const location = resolve(path);
  const target = await followed(location);
  const readable = await readableFiles(path);
  const files = await openFiles(target, options);
  // Opening makes them private; where a file system has no modes, they stay readable.
  if (readable.length > 0 && (await readableFiles(path)).length === 0)
    options.warn(
      `Until now everyone on this machine could read ${readable.join(" and ")}. If others may know the secret keys, replace them: svc dev keys rotate. If the store came with a repository, delete it: its author knows every secret in it.`,
    );
  const { users } = files.tables.counts();
  if (users > MANY_USERS)
    options.warn(`${location} has ${users} users. Above ${MANY_USERS}, move to PostgreSQL: svc store copy.`);
  const watch = createWatch(files, location, options);
  const log = createLog(files, watch, options);
  const commits = new Commits(files.tables, log);

  async function probe(): Promise<void> {
    commits.refuseFault();
    await files.probe();
    // A disk that failed is tried: a server that is not ready gets no writes that could show it.
    if (files.hasFailed) await commits.exclusively(() => files.append([]));
  }
  const reminder = setInterval(() => void watch(probe, true).catch(() => undefined), HOUR_MS).unref();
  let closing: Promise<void> | undefined;

  return {
    location,
    ...createOperations(commits, createSnapshotFiles(target, files.store)),
    compact: () => commits.exclusively(() => log.compact()),
    journalBytes: () => files.journalBytes,
    probe: () => watch(probe),
    close: () => {
      clearInterval(reminder);
      return (closing ??= commits.settled().then(() => commits.exclusively(() => closeFiles(files, options))));
    },
  };
}

async function closeFiles(files: Files, { warn }: StoreOptions): Promise<void> {
  const isOurs = (await files.takenBy()) === undefined;
  await files.close(isOurs).catch((error: unknown) => warn(notCompacted(files, error)));
}

function notCompacted({ path }: Files, error: unknown): string {
  return `${path} could not be brought up to date (${codeOf(error)}); the journal keeps everything.`;
}

type Watch = (work: () => Promise<void>, isReminder?: boolean) => Promise<void>;

function createLog(files: Files, watch: Watch, { warn, onCommit }: StoreOptions): Log {
  /** No compaction starts before this time. 0 if the last one did not fail. */
  let retryAt = 0;
  return {
    append: (changes) =>
      watch(async () => {
        const started = performance.now();
        await files.append(changes);
        onCommit?.((performance.now() - started) / 1000);
      }),
    replace: (tables) => watch(() => files.replace(tables)),
    onHang: (fault) => void watch(() => Promise.reject(fault)).catch(() => undefined),
    get isLong() {
      return files.isLong && performance.now() >= retryAt;
    },
    async compact() {
      try {
        await files.compact();
        retryAt = 0;
      } catch (error) {
        if (retryAt === 0) warn(notCompacted(files, error));
        retryAt = performance.now() + RETRY_MS;
      }
    },
  };
}

/** Reports when the store can't be written, why, again each hour, and when it can be written again. */
function createWatch(files: Files, location: string, { warn, onTaken }: StoreOptions): Watch {
  let isAway = false;
  let isTaken = false;

  /** Unlike damage that a restart can repair: here another process owns the store. */
  async function tellOwner(): Promise<boolean> {
    const owner = onTaken && !isTaken ? await files.takenBy() : undefined;
    if (owner === undefined) return isTaken;
    isTaken = true;
    onTaken!(taken(location, owner));
    return true;
  }

  return async (work, isReminder = false) => {
    try {
      await work();
      if (isAway) warn(`${location} is available again.`);
      isAway = false;
    } catch (error) {
      const isOutage = error instanceof StorageUnavailable && error.code !== "store_closed";
      const isOthers = isOutage && error.code === "store_changed" && (await tellOwner());
      if (isOutage && (!isAway || isReminder) && !isOthers)
        warn(`${location} is unavailable: ${error.message}. Requests that change something get 503 until it is back.`);
      isAway ||= isOutage;
      throw error;
    }
  };
}
