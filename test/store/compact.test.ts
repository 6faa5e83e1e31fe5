import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Change } from "../../src/server/store/json/document/tables.ts";
import { Document } from "../../src/server/store/json/document/document.ts";
import { openJsonStore } from "../../src/server/store/json/json-store.ts";
import { encodeLine } from "../../src/server/store/json/files/journal-lines.ts";
import { DocumentFile } from "../../src/server/store/json/files/document-file.ts";
import type { Store } from "../../src/server/store/store.ts";
import { abandoned } from "./_abandoned.ts";
import { temporaryDirectory } from "../_files.ts";
import {
  A,
  arrival,
  contentOf,
  id,
  identity,
  people,
  records,
  session,
  sessionId,
  state,
  user,
  take,
} from "./_records.ts";
import { firstHeader, firstLine, secondLine } from "./_files.ts";

/** The idle time before the journal is compacted. */
const IDLE_MS = 1000;
const RETRY_MS = 60_000;

const warnings: string[] = [];
beforeEach(() => {
  warnings.length = 0;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function open(path: string): Promise<Store> {
  const store = await openJsonStore(path, { warn: (message) => warnings.push(message) });
  onTestFinished(() => store.close());
  return store;
}

const newPath = async (): Promise<string> => join(temporaryDirectory(), "db.json");
const journalOf = (path: string): string => join(dirname(path), "db.journal");
const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => ({ size: 0 }))).size;
const namesIn = async (path: string): Promise<string[]> =>
  (await readdir(dirname(path))).filter((name) => !name.endsWith(".lock")).toSorted();

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 4000; turn++) {
    if (await condition()) return;
    await delay(1);
  }
  throw new Error("it did not happen");
}

async function foundIn(store: Store, numbers: readonly number[]): Promise<number[]> {
  const taken = await Promise.all(numbers.map((n) => take(store, state(n).state)));
  return numbers.filter((_, index) => taken[index] !== undefined);
}

describe("The journal is compacted into db.json", () => {
  it("after an idle time", async () => {
    const path = await newPath();
    const store = await open(path);
    await store.seed(records());
    await store.saveState(state(1));
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
    await store.saveState(state(2));
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
    const written = await readFile(path, "utf8");
    expect(JSON.parse(written)).toMatchObject({ sequence: 1, states: [] });
    await vi.advanceTimersByTimeAsync(1);
    await until(async () => (await sizeOf(journalOf(path))) < 300 && (await readFile(path, "utf8")) !== written);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ sequence: 3, states: [state(1), state(2)] });
  });

  it("when it has grown long, even without an idle time", async () => {
    const path = await newPath();
    const store = await open(path);
    const redirect_uri = `http://localhost:3000/${"x".repeat(1 << 20)}`;
    for (let n = 1; n <= 9; n++) await store.saveState(state(n, { redirect_uri }));
    await until(async () => (await namesIn(path)).join() === "db.journal,db.json");
    expect(await sizeOf(journalOf(path))).toBeLessThan(8 << 20);
    const again = await open(await abandoned(path));
    expect(await foundIn(again, [1, 2, 3, 4, 5, 6, 7, 8, 9])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("when the store is closed, followed by a new journal", async () => {
    const path = await newPath();
    const store = await open(path);
    await store.seed(people());
    await store.saveState(state(1));
    await store.close();
    expect(await namesIn(path)).toEqual(["db.journal", "db.json"]);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ sequence: 2, states: [state(1)] });
  });

  it("so that deleted records are in no file any more", async () => {
    const path = await newPath();
    const store = await open(path);
    await store.seed(people());
    await store.deleteUser(A, id(3));
    await store.close();
    for (const name of await namesIn(path)) {
      expect(await readFile(join(dirname(path), name), "utf8")).not.toContain("grace");
    }
  });

  it("unless it is small compared with db.json", async () => {
    const path = await newPath();
    const store = await open(path);
    await store.saveState(state(1, { redirect_uri: "x".repeat(100_000) }));
    await store.close();
    const before = await readFile(path);
    const again = await open(path);
    await again.saveState(state(2));
    await vi.advanceTimersByTimeAsync(2 * IDLE_MS);
    expect(await readFile(path)).toEqual(before);
    expect(await foundIn(await open(await abandoned(path)), [1, 2])).toEqual([1, 2]);
  });
});

/** Four groups of changes; later ones undo some of the earlier. */
const [ada, grace] = [user(1, { email: "ada@acme.test" }), user(3, { email: "grace@navy.test" })];
const returned = user(5, { email: ada.email, name: "Ada again" });
const CHANGES: readonly (readonly Change[])[] = [
  [
    ["put", "users", ada],
    ["put", "identities", identity(11, ada, { uid: "ada" })],
    ["put", "sessions", session(21, ada)],
    ["put", "states", state(1)],
  ],
  [
    ["put", "users", grace],
    ["put", "states", state(2)],
  ],
  [
    ["delete", "users", ada.id],
    ["delete", "identities", id(11)],
    ["delete", "sessions", sessionId(21)],
    ["put", "states", state(3)],
  ],
  [
    ["put", "users", returned],
    ["put", "identities", identity(12, returned, { uid: "ada" })],
    ["put", "sessions", session(22, returned)],
    ["delete", "states", state(2).state],
    ["put", "states", state(4)],
  ],
];
const LINES = CHANGES.map((changes, n) => encodeLine(n + 1, changes));
const lines = (...numbers: number[]): Buffer => Buffer.concat(numbers.map((n) => LINES[n - 1]!));

/** A `db.json` as of a change, with this content. */
async function documentAt(
  sequence: number,
  changes: readonly Change[] = CHANGES.slice(0, sequence).flat(),
): Promise<Buffer> {
  const path = await newPath();
  const document = new Document();
  for (const change of changes) document.apply(change);
  const file = new DocumentFile(path, document);
  file.header = firstHeader(sequence);
  await file.write(document);
  return readFile(path);
}

const NOTHING = Buffer.alloc(0);

interface FileSet {
  document?: Promise<Buffer>;
  old?: Buffer;
  journal?: Buffer;
  unfinished?: Promise<Buffer>;
}

async function laidOut({ document, old, journal = old ? undefined : NOTHING, unfinished }: FileSet): Promise<string> {
  const path = await newPath();
  const files: [string, Buffer | undefined][] = [
    [path, await document],
    [`${journalOf(path)}.old`, old && Buffer.concat([firstLine(), old])],
    [journalOf(path), journal && Buffer.concat([old ? secondLine(2) : firstLine(), journal])],
    [`${path}.0123456789ab.tmp`, await unfinished],
  ];
  for (const [name, content] of files) if (content) await writeFile(name, content);
  return path;
}

const half = async (whole: Promise<Buffer>): Promise<Buffer> => (await whole).subarray(0, 300);

describe("A crash during compaction", () => {
  const first = CHANGES.slice(0, 2).flat();
  // States are written last, so they can be newer than the users before them.
  const torn = [
    ...first,
    ...CHANGES.slice(2)
      .flat()
      .filter(([, table]) => table === "states"),
  ];
  const old = lines(1, 2);
  const journal = lines(3, 4);
  const stages: [string, number, () => FileSet][] = [
    ["before it began", 4, () => ({ document: documentAt(0), journal: lines(1, 2, 3, 4) })],
    ["before it began, with nothing compacted yet", 4, () => ({ journal: lines(1, 2, 3, 4) })],
    ["when the journal was put aside", 2, () => ({ document: documentAt(0), old })],
    ["when a new journal was created", 2, () => ({ document: documentAt(0), old, journal: Buffer.alloc(0) })],
    ["when changes had come", 4, () => ({ document: documentAt(1), old, journal })],
    ["when changes had come, the first time", 4, () => ({ old, journal })],
    [
      "when db.json was half written",
      4,
      () => ({ document: documentAt(0), old, journal, unfinished: half(documentAt(2)) }),
    ],
    ["when db.json was written", 4, () => ({ document: documentAt(0), old, journal, unfinished: documentAt(2) })],
    ["when db.json was in its place", 4, () => ({ document: documentAt(2), old, journal })],
    ["when it held later changes already", 4, () => ({ document: documentAt(2, CHANGES.flat()), old, journal })],
    ["when it held a part of the later changes", 4, () => ({ document: documentAt(2, torn), old, journal })],
    ["when the old journal was gone", 4, () => ({ document: documentAt(2), journal })],
    ["when all was compacted by the next start", 4, () => ({ document: documentAt(4), old, journal })],
    ["when all was compacted by closing", 4, () => ({ document: documentAt(4), journal: Buffer.alloc(0) })],
  ];
  it.each(stages)("loses nothing %s", async (_, count, files) => {
    const path = await laidOut(files());
    const expected = await open(await laidOut({ document: documentAt(count) }));
    const store = await open(path);
    expect(await contentOf(store)).toEqual(await contentOf(expected));
    await store.saveState(state(9));
    const crashed = await open(await abandoned(path));
    await store.close();
    const closed = await open(path);
    for (const again of [crashed, closed]) {
      expect(await contentOf(again)).toEqual(await contentOf(expected));
      expect(await foundIn(again, [1, 2, 3, 4, 9])).toEqual(count === 2 ? [1, 2, 9] : [1, 3, 4, 9]);
      expect(await again.completeSignIn(arrival({ uid: "ada" }))).toMatchObject({
        user: { id: count === 2 ? ada.id : returned.id },
      });
    }
    await closed.close();
    expect((await namesIn(path)).filter((name) => !name.endsWith(".tmp"))).toEqual(["db.journal", "db.json"]);
    expect(warnings).toEqual([]);
  });

  it("loses nothing if a change was cut as well", async () => {
    const store = await open(await laidOut({ document: documentAt(0), old, journal: journal.subarray(0, -9) }));
    const expected = await open(await laidOut({ document: documentAt(3) }));
    expect(await contentOf(store)).toEqual(await contentOf(expected));
    expect(warnings.length).toBe(1);
  });

  it("leaves no partial file, which would keep records that are deleted later", async () => {
    const path = await laidOut({ document: documentAt(4), unfinished: documentAt(2) });
    await (await open(path)).close();
    expect(await namesIn(path)).toEqual(["db.journal", "db.json"]);
  });
});

/** The files of a store at one moment. */
function filesNow(path: string): Map<string, Buffer> {
  const look = (): string[] =>
    readdirSync(dirname(path))
      .filter((name) => !name.endsWith(".lock") && !name.endsWith(".new"))
      .map((name) => `${name} ${statSync(join(dirname(path), name)).ino}`);
  for (;;) {
    try {
      const before = look();
      const files = new Map(
        before.map((entry) => entry.split(" ")[0]!).map((name) => [name, readFileSync(join(dirname(path), name))]),
      );
      if (look().join() === before.join()) return files;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

describe("Changes during compaction", () => {
  it("are kept and survive a crash at any moment", async () => {
    const path = await newPath();
    const store = await open(path);
    const users = Array.from({ length: 3000 }, (_, n) => user(n));
    await store.seed(records({ users }));
    const moments: { files: Map<string, Buffer>; acknowledged: number }[] = [];
    let n = 0;
    // An eighth of db.json, after which an idle time is enough.
    while ((await sizeOf(journalOf(path))) * 8 <= (await sizeOf(path))) {
      await Promise.all(Array.from({ length: 100 }, async () => store.saveState(state(++n))));
    }
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    let isBegun = false;
    await until(async () => {
      await store.saveState(state(++n));
      moments.push({ files: filesNow(path), acknowledged: n });
      isBegun ||= (await namesIn(path)).includes("db.journal.old");
      return isBegun && (await namesIn(path)).join() === "db.journal,db.json";
    });
    expect(moments.length).toBeGreaterThan(2);
    const stages = new Set(
      moments.map(({ files }) => [...files.keys()].filter((name) => /old|json$/.test(name)).join()),
    );
    expect([...stages]).toContain("db.journal.old,db.json");

    const lost: string[] = [];
    for (const [moment, { files, acknowledged }] of moments.entries()) {
      const copy = await newPath();
      for (const [name, content] of files) await writeFile(join(dirname(copy), name), content);
      const after = await open(copy);
      const numbers = Array.from({ length: acknowledged }, (_, index) => index + 1);
      const found = await foundIn(after, numbers);
      if (found.length !== acknowledged) lost.push(`${moment}: ${found.length} of ${acknowledged}`);
      const list = await contentOf(after);
      if (list.users.length !== users.length) lost.push(`${moment}: ${list.users.length} users`);
      await after.close();
    }
    expect(lost).toEqual([]);
  });
});

/** A store with one state whose compaction has failed because of a directory in the way. */
async function blockedBy(directory: (path: string) => string): Promise<{ path: string; store: Store }> {
  const path = await newPath();
  const store = await open(path);
  await store.saveState(state(1));
  await mkdir(directory(path));
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  await until(() => warnings.length > 0);
  return { path, store };
}

describe("A failed compaction", () => {
  it("only warns if the journal cannot be put aside, and the next one succeeds", async () => {
    const { path, store } = await blockedBy((file) => `${journalOf(file)}.old`);
    await store.saveState(state(2));
    await rmdir(`${journalOf(path)}.old`);
    expect(await foundIn(await open(await abandoned(path)), [1, 2])).toEqual([1, 2]);
    await vi.advanceTimersByTimeAsync(RETRY_MS);
    await until(async () => (await namesIn(path)).join() === "db.journal,db.json");
    expect(await foundIn(await open(await abandoned(path)), [1, 2])).toEqual([1, 2]);
    expect(warnings).toEqual([`${path} could not be brought up to date (EISDIR); the journal keeps everything.`]);
  });

  it("stops writes while another file is in the place of db.json", async () => {
    const { path, store } = await blockedBy((file) => file);
    await expect(store.saveState(state(2))).rejects.toThrow(`${path} was changed by another process`);
    await rmdir(path);
    expect(await namesIn(path)).toEqual(["db.journal"]);
    await store.saveState(state(2));
    await store.saveState(state(3));
    const crashed = await open(await abandoned(path));
    await vi.advanceTimersByTimeAsync(RETRY_MS);
    await until(async () => (await namesIn(path)).join() === "db.journal,db.json");
    const later = await open(await abandoned(path));
    await store.close();
    const closed = await open(path);
    for (const again of [crashed, later, closed]) expect(await foundIn(again, [1, 2, 3])).toEqual([1, 2, 3]);
    const why = `${path} was changed by another process`;
    expect(warnings).toEqual([
      expect.stringContaining(`could not be brought up to date (${why}`),
      expect.stringContaining(`${path} is unavailable: ${why}`),
      `${path} is available again.`,
    ]);
  });

  it("is retried after a minute, not at each change, and reported once", async () => {
    const { path, store } = await blockedBy((file) => `${journalOf(file)}.old`);
    const redirect_uri = `http://localhost:3000/${"x".repeat(1 << 20)}`;
    for (let n = 2; n <= 12; n++) await store.saveState(state(n, { redirect_uri }));
    await rmdir(`${journalOf(path)}.old`);
    await vi.advanceTimersByTimeAsync(RETRY_MS / 2);
    expect(await sizeOf(journalOf(path))).toBeGreaterThan(11 << 20);
    await until(async () => {
      await vi.advanceTimersByTimeAsync(RETRY_MS);
      return (await namesIn(path)).join() === "db.journal,db.json";
    });
    expect(warnings).toHaveLength(1);
  });

  it("at closing keeps the journal, and the next start has every record", async () => {
    const path = await newPath();
    const store = await open(path);
    await store.saveState(state(1));
    await mkdir(path);
    await store.close();
    expect(warnings.length).toBe(1);
    await rm(path, { recursive: true });
    expect(await foundIn(await open(path), [1])).toEqual([1]);
  });
});
