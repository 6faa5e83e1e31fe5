import { resolve } from "node:path";
import { StoreRefused } from "../../store.ts";
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
  try {
    const files = await Files.open(path, { warn: (message) => warnings.push(message) });
    await files.close();
  } catch (error) {
    if (!(error instanceof StoreRefused) || error.reason !== "locked") throw error;
    throw new StoreRefused(
      "locked",
      `${path} is in use. The server that uses it compacts the journal itself: nothing to do.`,
      { cause: error },
    );
  }
  const after = await sizes(path);
  // A failed compaction is reported, and leaves the journal.
  if (after.journal > 0) throw new StoreRefused("unusable", warnings.join("\n"));
  return { location: path, journal: before.journal, before: before.total, after: after.total, warnings };
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
