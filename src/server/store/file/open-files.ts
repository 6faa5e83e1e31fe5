import { dirname } from "node:path";
import type { OpenStoreOptions } from "../store.ts";
import { isSame, journalName, makeDirectory, statOf, tidy } from "./directory.ts";
import { createFiles, type Files } from "./files.ts";
import { newId } from "./headings.ts";
import { Journal } from "./journal.ts";
import { lockStore, type Lock } from "./lock.ts";
import { readStore, type Reading } from "./read.ts";
import { changedFile, damagedStore, doubtfulStore, notEmpty, notOpened } from "./refusals.ts";

export interface OpenFilesOptions extends OpenStoreOptions {
  /** Whether to take a store whose `db.json` its owner has changed. */
  readonly accepts?: boolean;
  readonly mustBeEmpty?: boolean;
}

/** Opens a store's files for this process, or begins a new store. @throws {StoreRefused} */
export async function openFiles(path: string, options: OpenFilesOptions): Promise<Files> {
  await makeDirectory(dirname(path));
  const refuse = (error: unknown): never => {
    throw notOpened(path, error);
  };
  const lock = await lockStore(path, options.warn).catch(refuse);
  try {
    return await openLocked(path, lock, options);
  } catch (error) {
    await lock.release();
    return refuse(error);
  }
}

const TORN =
  "A crash leaves such a line, and then it was never acknowledged; a disk that lost data leaves one too, and then acknowledged changes are missing.";

async function openLocked(path: string, lock: Lock, options: OpenFilesOptions): Promise<Files> {
  const { warn, accepts = false, mustBeEmpty = false } = options;
  const reading = await readStore(path);
  const { low, file, number, faults, doubts, torn } = reading;
  if (faults.length > 0) throw damagedStore(path, faults);
  if (doubts.length > 0 && !accepts) throw doubtfulStore(path, doubts);
  if (mustBeEmpty && !low.data.isEmpty) throw notEmpty(path);
  if (torn !== undefined) warn(`${torn}, which was dropped. ${TORN}`);
  await tidy(path);
  const store = file.heading?.store ?? reading.journal?.store ?? newId();
  if (reading.late > 0 || doubts.length > 0) {
    file.heading = { store, journal: reading.journal?.id ?? newId(), number };
    await low.write();
  }
  const heading = { store, id: newId(), after: file.heading?.journal ?? null, number };
  const journal = await Journal.begin(journalName(path), heading, { beforeNaming: () => refuseNews(path, reading) });
  return createFiles({ path, low, file, lock, store, journal, number }, options);
}

/** The journal that was read loses its name. A process that the lock does not reach may have written more of it meanwhile. */
function refuseNews(path: string, { journalFile }: Reading): void {
  const name = journalName(path);
  const there = statOf(name);
  if (!isSame(there, journalFile) || there?.size !== journalFile?.size) throw changedFile(name);
}
