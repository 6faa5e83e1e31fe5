// Below the faces: a store is laid out line by line, and opened without a server.

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { journalLine } from "../../src/server/store/file/journal.ts";
import { put as change, type Change } from "../../src/server/store/memory/tables.ts";
import type { StateRecord } from "../../src/server/store/records.ts";
import { StoreRefused, type Store } from "../../src/server/store/store.ts";
import { temporaryDirectory } from "../_files.ts";
import { people, state } from "./_records.ts";

export const put = (n: number): Change => change("states", undefined, state(n));

/** The shortest visible change. */
export const named = (text: string): Change =>
  change("personas", undefined, { id: text, name: null, email: "", avatar_url: null, accounts: {} });

export interface Attempt {
  store?: Store;
  refusal?: StoreRefused;
  warnings: string[];
}

/** Opens a store or returns the refusal; other errors are thrown. */
export async function attempt(path: string): Promise<Attempt> {
  const warnings: string[] = [];
  try {
    const store = await openFileStore(path, { warn: (message) => warnings.push(message) });
    onTestFinished(() => store.close());
    return { store, warnings };
  } catch (error) {
    if (error instanceof StoreRefused) return { refusal: error, warnings };
    throw error;
  }
}

export async function refused(path: string): Promise<StoreRefused> {
  const { store, refusal } = await attempt(path);
  expect(store).toBeUndefined();
  return refusal!;
}

export const statesIn = async (store: Store, numbers: readonly number[]): Promise<(StateRecord | undefined)[]> =>
  Promise.all(numbers.map((n) => store.find("states", state(n).state)));

export interface Laid {
  path: string;
  journal: string;
  /** The bytes of both files; the journal's heading is with its first line. */
  document: Buffer;
  lines: Buffer[];
}

/** A closed store with people in `db.json` and a journal of later changes. */
export async function laidOut(changes: readonly Change[], seed = people()): Promise<Laid> {
  const path = join(temporaryDirectory(), "db.json");
  const journal = join(dirname(path), "db.journal");
  const { store } = await attempt(path);
  await store!.seed(seed);
  await store!.close();
  const document = await readFile(path);
  const heading = await readFile(journal);
  const encoded = changes.map((one, n) => Buffer.from(journalLine(n + 2, [one])));
  const lines = encoded.map((line, n) => (n === 0 ? Buffer.concat([heading, line]) : line));
  await writeFile(journal, Buffer.concat([heading, ...encoded]));
  return { path, journal, document, lines };
}
