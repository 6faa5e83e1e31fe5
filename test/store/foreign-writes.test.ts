// Below the faces: another process writes between two of our writes.

import { appendFile, copyFile, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileStore, type FileStore } from "../../src/server/store/file/file-store.ts";
import { journalLine } from "../../src/server/store/file/journal.ts";
import { put } from "../../src/server/store/memory/tables.ts";
import { StorageUnavailable } from "../../src/server/store/store.ts";
import { abandoned } from "./_abandoned.ts";
import { newPath } from "./_file.ts";
import { journalOf } from "./_move.ts";
import { A, arrival, contentOf, id, people, state, takeState } from "./_records.ts";

/** The content of all files of a store except its locks. */
async function filesOf(path: string): Promise<Map<string, string>> {
  const entries = await readdir(dirname(path), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(".lock"));
  const names = files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  const contents = await Promise.all(names.map((name) => readFile(name, "utf8")));
  return new Map(names.map((name, n) => [name, contents[n]!]));
}

async function open(path: string): Promise<FileStore> {
  const store = await openFileStore(path, { warn: () => {} });
  onTestFinished(() => store.close());
  return store;
}

/** A store with a `db.json` and a change in the journal that awaits compaction. */
async function running(): Promise<{ path: string; store: FileStore }> {
  const path = await newPath();
  const first = await open(path);
  await first.seed(people());
  await first.close();
  const store = await open(path);
  for (let n = 1; n <= 3; n++) await store.saveState(state(n));
  return { path, store };
}

describe("Another process that writes to the store's files", () => {
  const foreign: [string, (path: string) => Promise<void>][] = [
    [
      "adds to the journal",
      (path) => appendFile(journalOf(path), journalLine(5, [put("states", undefined, state(7))])),
    ],
    ["cuts the journal", (path) => truncate(journalOf(path), 10)],
    ["removes the journal", (path) => rm(journalOf(path))],
    [
      "puts another journal in its place",
      async (path) => {
        await copyFile(journalOf(path), `${journalOf(path)}.copy`);
        await rename(`${journalOf(path)}.copy`, journalOf(path));
      },
    ],
    [
      "compacts a copy of the store into its place",
      async (path) => {
        const elsewhere = await abandoned(path);
        const theirs = await open(elsewhere);
        await theirs.saveState(state(7));
        await theirs.close();
        await rm(journalOf(path));
        await copyFile(elsewhere, `${path}.copy`);
        await rename(`${path}.copy`, path);
        await writeFile(journalOf(path), "");
      },
    ],
  ];
  it.each(foreign)("and %s stops all writes, while reads continue", async (_, change) => {
    const { path, store } = await running();
    await change(path);
    const files = await filesOf(path);
    const content = await contentOf(store);
    for (const call of [
      () => store.saveState(state(9)),
      () => takeState(store, state(1).state),
      () => store.deleteUser(A, id(1)),
      () => store.completeSignIn(arrival({ uid: "ada" })),
    ]) {
      await expect(call()).rejects.toBeInstanceOf(StorageUnavailable);
    }
    expect(await contentOf(store)).toEqual(content);
    expect(await filesOf(path)).toEqual(files);
  });

  it.each(foreign)("and %s is noticed by the next compaction, which leaves the file alone", async (_, change) => {
    const { path, store } = await running();
    await change(path);
    const files = await filesOf(path);
    await store.compact();
    expect(await filesOf(path)).toEqual(files);
  });

  it.each(foreign)("and %s is noticed by closing, which leaves the file alone", async (_, change) => {
    const { path, store } = await running();
    await change(path);
    const files = await filesOf(path);
    await store.close();
    expect(await filesOf(path)).toEqual(files);
  });

  it("and adds to an empty journal is noticed by closing, which leaves the file alone", async () => {
    const path = await newPath();
    await mkdir(dirname(path));
    const store = await open(path);
    await appendFile(journalOf(path), journalLine(1, [put("states", undefined, state(7))]));
    const files = await filesOf(path);
    await store.close();
    expect(await filesOf(path)).toEqual(files);
  });
});
