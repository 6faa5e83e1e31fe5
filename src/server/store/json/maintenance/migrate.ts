import { resolve } from "node:path";
import { VERSION } from "../../records.ts";
import type { Migration } from "../../maintenance.ts";
import { StoreRefused } from "../../store.ts";
import { Files } from "../files/files.ts";
import { inReadView } from "../files/read-view.ts";
import { itemsOf } from "../files/document-reader.ts";

/**
 * Brings a file store to the newest format, as every start of a server does.
 * @throws {StoreRefused} if there is no store, it is in use, is damaged, or a newer svc wrote it
 */
export async function migrateJsonStore(location: string, warn: (message: string) => void): Promise<Migration> {
  const { path, version: from } = await versionOf(resolve(location));
  if (from === VERSION) return { location: path, from, to: from };
  const files = await Files.open(path, { warn });
  await files.close();
  return { location: path, from, to: (await versionOf(path)).version };
}

/** A store without a `db.json` has the newest format: its first document will. */
async function versionOf(location: string): Promise<{ path: string; version: number }> {
  return inReadView(location, async ({ path, document }) => {
    if (!document) return { path, version: VERSION };
    for await (const [item] of itemsOf(document)) {
      if (item && "header" in item) return { path, version: item.header.version };
      if (item) break;
    }
    throw new StoreRefused(
      "damaged",
      `${path}: its first line is damaged. Keep what can be read: svc store repair --store ${path}`,
    );
  });
}
