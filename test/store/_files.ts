import type { Change } from "../../src/server/store/json/document/tables.ts";
import { Document } from "../../src/server/store/json/document/document.ts";
import { journalHeaderLine, type Header } from "../../src/server/store/json/files/header.ts";
import { openReadView } from "../../src/server/store/json/files/read-view.ts";
import { replay, type Replayed } from "../../src/server/store/json/files/journal-lines.ts";
import { DocumentFile } from "../../src/server/store/json/files/document-file.ts";
import { VERSION } from "../../src/server/store/records.ts";

const STORE = "5".repeat(24);
const FIRST = "a".repeat(24);
const SECOND = "b".repeat(24);

/** The header of a document that the first journal continues. */
export const firstHeader = (sequence: number): Header => ({ version: VERSION, store: STORE, journal: FIRST, sequence });

/** The first lines of the first journal and of the second, which continues it. */
export const firstLine = (sequence = 0): Buffer =>
  journalHeaderLine({ store: STORE, id: FIRST, after: null, sequence });
export const secondLine = (sequence = 0): Buffer =>
  journalHeaderLine({ store: STORE, id: SECOND, after: FIRST, sequence });

/** The result of a start on a store's files, which stay unchanged. */
export async function documentIn(path: string): Promise<Document> {
  const document = new Document();
  await replayedInto(document, path);
  return document;
}

export async function replayedInto(
  document: Document,
  path: string,
  apply: (change: Change) => void = (change) => document.apply(change),
): Promise<Replayed> {
  const file = new DocumentFile(path, document);
  const hasFile = (await file.read()) !== null;
  const files = await openReadView(path, { mayBeEmpty: true });
  try {
    return await replay(files, hasFile ? file.header : undefined, apply);
  } finally {
    await files.close();
  }
}
