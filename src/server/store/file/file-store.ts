import { resolve } from "node:path";
import type { Store, OpenStoreOptions } from "../store.ts";
import { Commits } from "../memory/commits.ts";
import { createOperations } from "../memory/memory-store.ts";
import { followed, readableFiles } from "./directory.ts";
import { openFiles } from "./open-files.ts";
import { createSnapshotFiles } from "./snapshot-files.ts";

/** A start with more takes seconds, and each writing of `db.json` holds up changes for as long. */
const MANY_USERS = 100_000;
export interface FileStore extends Store {
  /** Brings the journal into `db.json` now. */
  compact(): Promise<void>;
}

/**
 * Opens the file store; `path` is that of its `db.json`. One process at a time may have it.
 * @throws {StoreRefused} when another process has it, or it is damaged
 */
export async function openFileStore(path: string, options: OpenStoreOptions): Promise<FileStore> {
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
  const commits = new Commits(files.tables, files);
  let closing: Promise<void> | undefined;

  return {
    location,
    ...createOperations(commits, createSnapshotFiles(target, files.store)),
    compact: () => commits.exclusively(() => files.compact()),
    journalBytes: () => files.journalBytes,
    async probe() {
      commits.refuseFault();
      // A store whose last change failed is tried: a server that is not ready gets no writes that could show that it is back.
      if (files.hasFailed) await commits.exclusively(() => files.append([]));
    },
    close: () => (closing ??= commits.settled().then(() => commits.exclusively(() => files.close()))),
  };
}
