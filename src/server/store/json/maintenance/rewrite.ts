import { resolve } from "node:path";
import { VERSION } from "../../records.ts";
import type { Migration } from "../../maintenance.ts";
import { StoreRefused, type Warn } from "../../store.ts";
import { inUseByServer, notCompacted } from "../files/refusals.ts";
import { requireHeader } from "../files/document-reader.ts";
import { Files } from "../files/files.ts";
import { parseJournalHeader } from "../files/header.ts";
import { lineBatches } from "../files/lines.ts";
import { inReadView, type ViewedFile } from "../files/read-view.ts";

/** What a compaction did to a store's files, in bytes. */
export interface Compaction {
  readonly location: string;
  readonly journal: number;
  readonly before: number;
  readonly after: number;
  /** What was found on the way, such as an incomplete last line of the journal that was dropped. */
  readonly warnings: readonly string[];
}

/**
 * Compacts the journal into `db.json`.
 * @throws {StoreRefused} if there is no store, it is in use, is damaged, or can't be written
 */
export async function compactJsonStore(location: string): Promise<Compaction> {
  const before = await sizes(resolve(location));
  const { path } = before;
  const warnings: string[] = [];
  await startAndStop(path, (message) => warnings.push(message)).catch((error: unknown) => {
    if (!(error instanceof StoreRefused) || error.reason !== "locked") throw error;
    throw inUseByServer(path, error);
  });
  const after = await sizes(path);
  // A failed compaction is reported, and leaves the journal.
  if (after.journal > 0) throw notCompacted(warnings);
  return { location: path, journal: before.journal, before: before.total, after: after.total, warnings };
}

/**
 * Brings a file store to the newest format, as every start of a server does.
 * @throws {StoreRefused} if there is no store, it is in use, is damaged, or a newer svc wrote it
 */
export async function migrateJsonStore(location: string, warn: Warn): Promise<Migration> {
  const { path, version: from } = await versionOf(resolve(location));
  if (from === VERSION) return { location: path, from, to: from };
  await startAndStop(path, warn);
  return { location: path, from, to: (await versionOf(path)).version };
}

/** A start brings a store to the newest format, and a stop compacts it. */
async function startAndStop(path: string, warn: Warn): Promise<void> {
  await (await Files.open(path, { warn })).close();
}

/** A store without a `db.json` has the newest format: its first document will. */
async function versionOf(location: string): Promise<{ path: string; version: number }> {
  return inReadView(location, async ({ path, document }) => ({
    path,
    version: document ? (await requireHeader(document)).version : VERSION,
  }));
}

async function sizes(location: string): Promise<{ path: string; journal: number; total: number }> {
  return inReadView(location, async ({ path, old, journal, files }) => ({
    path,
    journal: (await lateBytes(old)) + (await lateBytes(journal)),
    total: files.reduce((sum, { size }) => sum + size, 0),
  }));
}

/** How much a journal has behind its first line. */
async function lateBytes(file: ViewedFile | undefined): Promise<number> {
  if (!file) return 0;
  for await (const [first] of lineBatches(file.content()))
    if (first) return file.size - (parseJournalHeader(first.bytes) ? first.bytes.length + 1 : 0);
  return 0;
}
