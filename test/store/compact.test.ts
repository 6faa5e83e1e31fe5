// Below the faces: when the journal is brought into the document is decided here.

import { appendFile, mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openFileStore, type FileStore } from "../../src/server/store/file/file-store.ts";
import { journalLine } from "../../src/server/store/file/journal.ts";
import { put } from "../../src/server/store/memory/tables.ts";
import type { Store } from "../../src/server/store/store.ts";
import { abandoned } from "./_abandoned.ts";
import { temporaryDirectory } from "../_files.ts";
import { A, contentOf, id, people, records, state, user } from "./_records.ts";

const warnings: string[] = [];
beforeEach(() => {
  warnings.length = 0;
});

async function open(path: string): Promise<FileStore> {
  const store = await openFileStore(path, { warn: (message) => warnings.push(message) });
  onTestFinished(() => store.close());
  return store;
}

const newPath = async (): Promise<string> => join(temporaryDirectory(), "db.json");
const journalOf = (path: string): string => join(dirname(path), "db.journal");
const linesIn = async (path: string): Promise<number> => (await readFile(path, "utf8")).split("\n").length - 1;
const documentIn = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, "utf8"));

async function foundIn(store: Store, numbers: readonly number[]): Promise<number[]> {
  const taken = await Promise.all(numbers.map((n) => store.find("states", state(n).state)));
  return numbers.filter((_, index) => taken[index] !== undefined);
}

describe("The journal is brought into db.json", () => {
  it("when the store is opened and closed, and not while it is short", async () => {
    const path = await newPath();
    const store = await open(path);
    await store.seed(people());
    await store.saveState(state(1));
    expect(await documentIn(path)).toMatchObject({ number: 1, states: [] });
    const crashed = await abandoned(path);
    await store.close();
    expect(await documentIn(path)).toMatchObject({ number: 2, states: [state(1)] });
    expect((await readdir(dirname(path))).toSorted()).toEqual(["db.journal", "db.json"]);
    await open(crashed);
    expect(await documentIn(crashed)).toMatchObject({ number: 2, states: [state(1)] });
    for (const one of [path, crashed]) expect(await linesIn(journalOf(one))).toBe(1);
  });

  it("when it has grown longer than db.json and 16 MiB, while changes come", async () => {
    const path = await newPath();
    const store = await open(path);
    await store.seed(records());
    const redirect_uri = `http://localhost:3000/${"x".repeat(1 << 20)}`;
    const numbers = Array.from({ length: 18 }, (_, n) => n + 1);
    await Promise.all(numbers.map((n) => store.saveState(state(n, { redirect_uri }))));
    await store.saveState(state(99));
    expect((await stat(path)).size).toBeGreaterThan(16 << 20);
    expect((await stat(journalOf(path))).size).toBeLessThan(16 << 20);
    expect(await foundIn(await open(await abandoned(path)), [...numbers, 99])).toEqual([...numbers, 99]);
  });

  it("so that deleted records are in no file any more", async () => {
    const path = await newPath();
    const store = await open(path);
    await store.seed(people());
    await store.deleteUser(A, id(3));
    await store.close();
    const texts = await Promise.all([path, journalOf(path)].map((name) => readFile(name, "utf8")));
    expect(texts.join("")).not.toContain(id(3));
  });
});

describe("A crash between two journals", () => {
  /** The files before and after the journal was brought into the document. */
  async function around(): Promise<{ path: string; before: Buffer; content: unknown }> {
    const path = await newPath();
    const store = await open(path);
    await store.seed(people());
    for (const n of [1, 2]) await store.saveState(state(n));
    await store.deleteUser(A, id(1));
    const before = await readFile(journalOf(path));
    const content = await contentOf(store);
    await store.close();
    return { path, before, content };
  }

  it("loses nothing when db.json was written and the next journal was not", async () => {
    const { path, before, content } = await around();
    await writeFile(journalOf(path), before);
    const store = await open(path);
    expect(await contentOf(store)).toEqual(content);
    await store.saveState(state(3));
    const again = await open(await abandoned(path));
    expect(await foundIn(again, [1, 2, 3])).toEqual([1, 2, 3]);
    expect(warnings).toEqual([]);
  });

  it("loses nothing that came into the old journal because the next could not be begun", async () => {
    const { path, before, content } = await around();
    const next = journalLine(5, [put("states", undefined, state(3))]);
    await writeFile(journalOf(path), Buffer.concat([before, Buffer.from(next)]));
    const store = await open(path);
    expect(await contentOf(store)).toEqual(content);
    expect(await foundIn(store, [1, 2, 3])).toEqual([1, 2, 3]);
  });

  it("leaves no partial file", async () => {
    const { path } = await around();
    await writeFile(`${path}.0123456789ab.tmp`, '{"format"');
    await (await open(path)).close();
    expect((await readdir(dirname(path))).toSorted()).toEqual(["db.journal", "db.json"]);
  });
});

describe("A document that can't be written", () => {
  it("leaves everything in the journal, warns once, and is written when it can be", async () => {
    const path = await newPath();
    const store = await open(path);
    await store.seed(records({ users: [user(1)] }));
    await store.saveState(state(1));
    // Something in the way of every temporary name would be a full disk; another file in its place is simpler.
    await mkdir(`${path}.new`);
    await rm(path);
    await rename(`${path}.new`, path);
    await store.compact();
    await store.compact();
    expect(warnings).toEqual([expect.stringContaining("could not be brought up to date")]);
    await expect(store.saveState(state(2))).rejects.toThrow(`${path} was changed by another process`);
    await rmdir(path);
    expect(await contentOf(store)).toMatchObject({ users: [{ user: { id: id(1) } }] });
  });

  it("at closing leaves the journal, and the next start has every record", async () => {
    const path = await newPath();
    const store = await open(path);
    await store.saveState(state(1));
    await mkdir(path);
    await store.close();
    expect(warnings).toEqual([expect.stringContaining("the journal keeps everything")]);
    await rm(path, { recursive: true });
    expect(await foundIn(await open(path), [1])).toEqual([1]);
  });
});

it("Bytes behind the journal stop its being brought into db.json", async () => {
  const path = await newPath();
  const store = await open(path);
  await store.saveState(state(1));
  await appendFile(journalOf(path), "x");
  await store.compact();
  expect(warnings).toEqual([expect.stringContaining("was changed by another process")]);
});
