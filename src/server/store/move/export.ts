import { VERSION } from "../records.ts";
import type { Source } from "../store.ts";
import { checkReference, Summary, type Digests } from "./digest.ts";
import { endLine, EXPORT_FORMAT, LineHash, recordLine } from "./export-file.ts";
import { References } from "../references.ts";

/**
 * Writes a store, as it is at one moment, as NDJSON: a header, a line for each record, and an end that tells how many
 * there are and the SHA-256 of all before it. The same content gives the same bytes. It holds secret keys.
 * @param write takes the next piece, and resolves when there is room for more
 * @throws {StoreRefused} where the store is damaged; what was written then has no end, and can't be imported
 */
export async function exportStore(source: Source, write: (text: string) => Promise<void>): Promise<Digests> {
  const hash = new LineHash();
  const summary = new Summary();
  const references = new References();
  await write(hash.add(`${JSON.stringify({ format: EXPORT_FORMAT, version: VERSION })}\n`));
  for await (const entries of source.entries()) {
    let text = "";
    for (const entry of entries) {
      checkReference(source.location, references, entry);
      text += recordLine(entry[0], summary.add(entry));
    }
    await write(hash.add(text));
  }
  const digests = summary.digests();
  await write(endLine(digests, hash.digest()));
  return digests;
}
