import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkJsonStore } from "../../src/server/store/json/check.ts";
import { Document, type Change } from "../../src/server/store/json/document.ts";
import { openJsonStore } from "../../src/server/store/json/index.ts";
import { decodeLine, encodeLine, replay } from "../../src/server/store/json/journal.ts";
import { openRepair, type Repair } from "../../src/server/store/json/repair.ts";
import { Snapshot } from "../../src/server/store/json/snapshot.ts";
import { openJsonSource } from "../../src/server/store/json/source.ts";
import { copyStore } from "../../src/server/store/move/copy.ts";
import { driverOf, type Driver } from "../../src/server/store/move/driver.ts";
import { exportStore } from "../../src/server/store/move/export.ts";
import { importStore } from "../../src/server/store/move/import.ts";
import { keyOf, TABLE_NAMES, type Entry, type Records, type TableName } from "../../src/server/store/records.ts";
import { entryOf, recordText } from "../../src/server/store/schema.ts";
import { StorageUnavailable, StoreRefused, type Source } from "../../src/server/store/store.ts";
import {
  A,
  arrival,
  at,
  contentOf,
  id,
  identity,
  people,
  persona,
  records,
  session,
  sessionId,
  state,
  temporaryDirectory,
  user,
} from "./conformance.ts";

const newPath = async (): Promise<string> => join(await temporaryDirectory(), "db.json");
const journalOf = (path: string): string => join(dirname(path), "db.journal");
/** How many damaged stores are repaired. */
const RUNS = process.env["SVC_FAULTS"] === "full" ? 2000 : 150;
const warn = (): void => {};

async function makeStore(content: Records = people()): Promise<string> {
  const path = await newPath();
  const store = await openJsonStore(path, { warn });
  await store.seed(content);
  await store.saveState(state(1));
  await store.close();
  return path;
}

async function entriesOf(source: Source): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const batch of source.entries()) found.push(...batch);
  return found;
}

async function readAll(driver: Driver): Promise<Entry[]> {
  const source = await driver.openSource();
  try {
    return await entriesOf(source);
  } finally {
    await source.close();
  }
}

/** The names and contents of all files beside a store. */
async function filesBeside(path: string): Promise<Record<string, string>> {
  const names = (await readdir(dirname(path)).catch(() => [])).toSorted();
  const contents = await Promise.all(names.map((name) => readFile(join(dirname(path), name), "latin1")));
  return Object.fromEntries(names.map((name, n) => [name, contents[n]!]));
}

async function exported(driver: Driver): Promise<string> {
  let text = "";
  const source = await driver.openSource();
  try {
    await exportStore(source, async (piece) => void (text += piece));
    return text;
  } finally {
    await source.close();
  }
}

async function importText(driver: Driver, text: string | Buffer): Promise<Awaited<ReturnType<typeof importStore>>> {
  const path = join(await temporaryDirectory(), "export.ndjson");
  await writeFile(path, text);
  const file = await open(path);
  try {
    return await importStore(driver, "export.ndjson", file);
  } finally {
    await file.close();
  }
}

/** A store that is no file: what a database is to those who copy. `room` is how many more puts it takes before it fails. */
function memoryDriver(): Driver & { room: number; readonly puts: number } {
  let held: { fingerprint: string; entries: Entry[]; isFinished: boolean } | undefined;
  const driver = {
    room: Infinity,
    puts: 0,
    async openSource(): Promise<Source> {
      if (!held?.isFinished) throw new StoreRefused("unusable", "memory is unfinished");
      const { entries } = held;
      return {
        location: "memory",
        async *entries() {
          yield entries.map((entry) => structuredClone(entry));
        },
        async close() {},
      };
    },
    async openTarget() {
      return {
        location: "memory",
        async begin(fingerprint: string) {
          if (held?.isFinished) throw new StoreRefused("unusable", "memory holds something already");
          if (held?.fingerprint !== fingerprint) held = { fingerprint, entries: [], isFinished: false };
          return held.entries.length;
        },
        async put(entries: readonly Entry[]) {
          if (driver.room-- <= 0) throw new StorageUnavailable("memory is away");
          driver.puts++;
          held!.entries.push(...(structuredClone(entries) as Entry[]));
        },
        async finish() {
          if (driver.room <= 0) throw new StorageUnavailable("memory is away");
          held!.isFinished = true;
        },
        async close() {},
      };
    },
    check: () => Promise.reject(new Error("not asked for here")),
    migrate: () => Promise.reject(new Error("not asked for here")),
  };
  return driver;
}

/** Many people, so that there is more than one batch. */
function crowd(size: number): Records {
  const users = Array.from({ length: size }, (_, n) => user(n + 1, { name: `Zoë ${n} "the\u2028one" \\ 李` }));
  return records({
    users,
    identities: users.map((owner, n) => identity(100_000 + n, owner, { access_token: "x".repeat(n % 50) })),
    sessions: users.map((owner, n) => session(200_000 + n, owner, { geo_data: { z: 1, a: { city: "Köln" } } })),
    personas: [persona("mary"), { ...persona("alan"), twitter: { id: "1", username: "a" } }],
  });
}

describe("A repair", () => {
  it("keeps every record of a file whose line ends were written anew by another system", async () => {
    const path = join(await temporaryDirectory(), "db.json");
    const store = await openJsonStore(path, { warn: () => {} });
    await store.seed(people());
    await store.close();
    const before = await readFile(path, "utf8");
    await writeFile(path, before.replaceAll("\n", "\r\n"));
    const { damage } = await checkJsonStore(path);
    expect(damage).toEqual([expect.stringContaining("CR LF")]);
    const repair = await openRepair(path, { now: new Date() });
    await repair.apply();
    await repair.close();
    expect((await checkJsonStore(path)).damage).toEqual([]);
    expect(await readFile(path, "utf8")).toBe(before);
  });

  it("makes no store of nothing", async () => {
    const path = join(await temporaryDirectory(), "db.json");
    const store = await openJsonStore(path, { warn: () => {} });
    await store.seed(people());
    await store.close();
    const text = await readFile(path, "utf8");
    const broken = text.replace(/"instances":\[\n[\s\S]*?\n\],/, (part) => part.replaceAll('"name"', '"nane"'));
    await writeFile(path, broken);
    const repair = await openRepair(path, { now: new Date() });
    await expect(repair.apply()).rejects.toThrow(/no instance can be read any more.*Nothing was changed/);
    await repair.close();
    expect(await readFile(path, "utf8")).toBe(broken);
  });
});

describe("A file store as a source", () => {
  const keys = fc.integer({ min: 1, max: 6 });
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc
      .tuple(keys, fc.integer({ min: 0, max: 99 }))
      .map(([n, v]): Change => ["put", "users", user(n, { name: `v${v}` })]),
    keys.map((n): Change => ["delete", "users", id(n)]),
    keys.map((n): Change => ["put", "sessions", session(n, user(n))]),
    keys.map((n): Change => ["delete", "sessions", sessionId(n)]),
    keys.map((n): Change => ["put", "states", state(n)]),
  );

  it("gives what a start would find, in the same order, wherever in a fold its files are", async () => {
    const directory = await temporaryDirectory();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
        fc.nat(12),
        fc.nat(12),
        fc.nat(12),
        fc.nat(12),
        async (groups, folded, late, oldStart, oldEnd) => {
          const path = join(directory, "db.json");
          await rm(directory, { recursive: true });
          await mkdir(directory);
          const [first, last] = [Math.min(folded, oldStart, groups.length), Math.max(folded, oldEnd)];
          const lines = groups.map((changes, n) => encodeLine(n + 1, changes));
          const written = new Document();
          // A document may hold changes that came while it was written.
          for (const changes of groups.slice(0, folded + late)) for (const one of changes) written.apply(one);
          const snapshot = new Snapshot(path, written);
          snapshot.sequence = Math.min(folded, groups.length);
          await snapshot.write(written);
          await writeFile(`${journalOf(path)}.old`, Buffer.concat(lines.slice(first, last)));
          await writeFile(journalOf(path), Buffer.concat(lines.slice(last)));

          const expected = new Document();
          const reader = new Snapshot(path, expected);
          await reader.read();
          const old = await replay(`${journalOf(path)}.old`, reader.sequence, (one) => expected.apply(one), warn);
          await replay(journalOf(path), old.sequence, (one) => expected.apply(one), warn);

          const source = await openJsonSource(path);
          const found = await entriesOf(source);
          const again = await entriesOf(source);
          await source.close();
          const names = TABLE_NAMES.filter((name) => name !== "states");
          expect(found).toEqual(names.flatMap((name) => [...expected.tables[name].values()].map((row) => [name, row])));
          expect(again).toEqual(found);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("stays at its moment while the store goes on, folds and is emptied", async () => {
    const path = await makeStore(crowd(1500));
    const store = await openJsonStore(path, { warn });
    await store.completeSignIn(arrival({ uid: "late", n: 9000 }));
    const source = await openJsonSource(path);
    const before = await entriesOf(source);
    expect(before.some(([name, record]) => name === "users" && record.id === id(9000))).toBe(true);
    await store.completeSignIn(arrival({ uid: "later", n: 9001 }));
    await store.replace(records());
    await store.close();
    expect(await entriesOf(source)).toEqual(before);
    await source.close();
    expect((await readAll(driverOf(path))).map(([name]) => name)).toEqual(["instances", "instances"]);
  });

  it.each([
    ["nothing", async () => {}, "There is no store at"],
    ["an empty journal alone", (path: string) => writeFile(journalOf(path), ""), "There is no store at"],
    ["a directory", (path: string) => mkdir(path), "is no file"],
    ["other JSON", (path: string) => writeFile(path, '{"users":[]}'), "is damaged: line 1"],
    ["a newer format", (path: string) => writeFile(path, HEADER_99), "written by a newer svc (format 99)"],
  ])("refuses %s", async (_, make, message) => {
    const path = await newPath();
    await make(path);
    await expect(readAll(driverOf(path))).rejects.toThrow(message);
    await expect(readAll(driverOf(path))).rejects.toBeInstanceOf(StoreRefused);
  });
});

const HEADER_99 = '{"format":"svc-identity","version":99,"sequence":1,\n"crc32":"00000000"}\n';

describe("A copy", () => {
  it("is equal, byte for byte, on every way there and back", async () => {
    const path = await makeStore(crowd(1200));
    const before = await filesBeside(path);
    const middle = memoryDriver();
    const back = await newPath();
    const there = await copyStore(driverOf(path), middle);
    const home = await copyStore(middle, driverOf(back));
    expect([there.isEqual, home.isEqual, there.wasThere, home.wasThere]).toEqual([true, true, false, false]);
    expect(there.from.digests.users.count).toBe(1200);
    expect(home.to.digests).toEqual(there.from.digests);
    expect(await filesBeside(path)).toEqual(before);
    const lines = async (file: string): Promise<string[]> => (await readFile(file, "utf8")).split("\n");
    const isSame = (line: string): boolean => !/^\{"format"|^"checksum"|"state":/.test(line);
    expect((await lines(back)).filter(isSame)).toEqual((await lines(path)).filter(isSame));
    const [one, other] = await Promise.all([path, back].map((file) => openJsonStore(file, { warn })));
    onTestFinished(async () => void (await Promise.all([one!.close(), other!.close()])));
    expect(await contentOf(other!)).toEqual(await contentOf(one!));
  });

  it("goes on where it was broken off, wherever that was", async () => {
    const path = await makeStore(crowd(1100));
    const whole = memoryDriver();
    await copyStore(driverOf(path), whole);
    expect(whole.puts).toBeGreaterThan(3);
    for (let room = 0; room <= whole.puts; room++) {
      const target = memoryDriver();
      target.room = room;
      await expect(copyStore(driverOf(path), target)).rejects.toThrow("memory is away");
      target.room = Infinity;
      const copy = await copyStore(driverOf(path), target);
      expect(copy.isEqual).toBe(true);
      // Nothing is put twice.
      expect(target.puts).toBe(whole.puts);
    }
  });

  it("begins anew where the source has changed since", async () => {
    const path = await makeStore();
    const target = memoryDriver();
    target.room = 0;
    await expect(copyStore(driverOf(path), target)).rejects.toThrow("memory is away");
    target.room = Infinity;
    const store = await openJsonStore(path, { warn });
    await store.deleteUser(A, id(1));
    await store.close();
    const copy = await copyStore(driverOf(path), target);
    expect([copy.isEqual, copy.to.digests.users.count]).toEqual([true, 3]);
  });

  it("into a store that holds something is refused, and changes nothing; the same again is no fault", async () => {
    const [path, other] = [await makeStore(), await makeStore(crowd(3))];
    const before = await filesBeside(other);
    await expect(copyStore(driverOf(path), driverOf(other))).rejects.toThrow("holds something already");
    expect(await filesBeside(other)).toEqual(before);
    const target = await newPath();
    await copyStore(driverOf(path), driverOf(target));
    const files = await filesBeside(target);
    expect(await copyStore(driverOf(path), driverOf(target))).toMatchObject({ isEqual: true, wasThere: true });
    expect(await filesBeside(target)).toEqual(files);
  });

  it("of a store to itself, or of nothing, is refused", async () => {
    const path = await makeStore();
    const before = await filesBeside(path);
    await expect(copyStore(driverOf(path), driverOf(path))).rejects.toThrow("can't be copied to itself");
    expect(await filesBeside(path)).toEqual(before);
    const empty = await makeStore(records({ instances: [] }));
    await expect(copyStore(driverOf(empty), memoryDriver())).rejects.toThrow("holds nothing to copy");
  });

  it("that is not finished is no store: it can't be served, and is finished by the same copy alone", async () => {
    const path = await makeStore();
    const target = await newPath();
    const writer = await driverOf(target).openTarget();
    await writer.begin("f".repeat(64));
    await writer.put([["instances", people().instances[0]!]]);
    await expect(openJsonStore(target, { warn })).rejects.toMatchObject({ reason: "locked" });
    await writer.close();
    await expect(openJsonStore(target, { warn })).rejects.toThrow("was broken off");
    const again = await driverOf(target).openTarget();
    expect(await again.begin("f".repeat(64))).toBe(1);
    await again.close();
    expect(await copyStore(driverOf(path), driverOf(target))).toMatchObject({ isEqual: true });
    expect(Object.keys(await filesBeside(target))).toEqual(["db.json"]);
  });

  it("is told apart from one that differs in anything", async () => {
    const path = await makeStore();
    const lossy = memoryDriver();
    const honest = lossy.openTarget.bind(lossy);
    lossy.openTarget = async () => {
      const target = await honest();
      const blank = ([name, record]: Entry): Entry =>
        name === "users" ? [name, { ...record, password_digest: null }] : ([name, record] as Entry);
      return { ...target, put: (entries) => target.put(entries.map(blank)) };
    };
    const copy = await copyStore(driverOf(path), lossy);
    expect(copy.isEqual).toBe(false);
    expect(copy.to.digests.users).not.toEqual(copy.from.digests.users);
    expect(copy.to.digests.sessions).toEqual(copy.from.digests.sessions);
  });
});

describe("An export", () => {
  it("is the same from every kind of store, and imports to the same", async () => {
    const path = await makeStore(crowd(1100));
    const middle = memoryDriver();
    await copyStore(driverOf(path), middle);
    const text = await exported(driverOf(path));
    expect(await exported(middle)).toBe(text);
    const target = await newPath();
    expect(await importText(driverOf(target), text)).toMatchObject({ isEqual: true, wasThere: false });
    expect(await exported(driverOf(target))).toBe(text);
    expect(await importText(driverOf(target), text)).toMatchObject({ isEqual: true, wasThere: true });
  });

  it("begins with what it is, and ends with counts and a hash; where it was made isn't in it", async () => {
    const path = await makeStore();
    const lines = (await exported(driverOf(path))).trimEnd().split("\n");
    expect(lines[0]).toBe('{"format":"svc-identity-export","version":1}');
    expect(JSON.parse(lines.at(-1)!)).toEqual({
      end: { instances: 2, personas: 2, users: 4, identities: 4, sessions: 4 },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(lines.join()).not.toContain(dirname(path));
    expect(lines.join()).not.toContain(state(1).state);
  });

  it("waits for its reader", async () => {
    const source = await (await copied(crowd(3000))).openSource();
    let writing = 0;
    let most = 0;
    await exportStore(source, async () => {
      most = Math.max(most, ++writing);
      await new Promise((resolve) => setTimeout(resolve, 1));
      writing--;
    });
    await source.close();
    expect(most).toBe(1);
  });

  it("is refused when it was cut or altered anywhere, and nothing of it is applied", async () => {
    const whole = Buffer.from(await exported(driverOf(await makeStore())));
    const target = await newPath();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.constantFrom("cut", "flip", "drop", "double"),
        async (place, mask, how) => {
          const altered = damagedBy(whole, place, mask, how);
          const error = await importText(driverOf(target), altered).catch((thrown: Error) => thrown);
          expect(error).toMatchObject({ name: "ImportRefused" });
          expect((error as Error).message).toMatch(/^export\.ndjson.*Nothing was imported\.$/);
          expect(await readdir(dirname(target))).toEqual([]);
        },
      ),
      {
        numRuns: 200,
        examples: [
          [0, 1, "cut"],
          [whole.length - 1, 1, "cut"],
          [whole.length - 1, 1, "drop"],
        ],
      },
    );
  });

  it.each([
    ["nothing", "", " is empty."],
    ["what is no export", '{"users":[]}\n', ", line 1: this is no export of svc."],
    ["a newer one", '{"format":"svc-identity-export","version":2}\n', ", line 1: a newer svc made this export."],
    ["one without an end", '{"format":"svc-identity-export","version":1}\n', ": it was cut off behind line 1."],
  ])("refuses %s", async (_, text, message) => {
    const target = await newPath();
    await expect(importText(driverOf(target), text)).rejects.toThrow(`export.ndjson${message}`);
    expect(await readdir(dirname(target))).toEqual([]);
  });

  it("of a store whose records belong to others that aren't there is refused, as is copying it", async () => {
    const content = people();
    const path = await makeStore({ ...content, users: content.users.slice(1) });
    await expect(exported(driverOf(path))).rejects.toThrow(`identities ${id(11)} belongs to user ${id(1)}`);
    await expect(copyStore(driverOf(path), memoryDriver())).rejects.toThrow("svc store repair --drop-dangling");
    const orphan = { ...people(), instances: [people().instances[0]!] };
    await expect(exported(driverOf(await makeStore(orphan)))).rejects.toThrow(`belongs to instance ${A}`);
  });
});

async function copied(content: Records): Promise<Driver> {
  const driver = memoryDriver();
  await copyStore(driverOf(await makeStore(content)), driver);
  return driver;
}

function damagedBy(whole: Buffer, place: number, mask: number, how: string): Buffer {
  const [before, after] = [whole.subarray(0, place), whole.subarray(place + 1)];
  if (how === "cut") return before;
  if (how === "drop") return Buffer.concat([before, after]);
  if (how === "double") return Buffer.concat([before, whole.subarray(place, place + 1), whole.subarray(place)]);
  return Buffer.concat([before, Buffer.from([whole[place]! ^ mask]), after]);
}

describe("The shape of a record", () => {
  const all: Entry[] = [
    ...people().instances.map((row): Entry => ["instances", row]),
    ...people().personas.map((row): Entry => ["personas", row]),
    ...people().users.map((row): Entry => ["users", row]),
    ...people().identities.map((row): Entry => ["identities", row]),
    ...people().sessions.map((row): Entry => ["sessions", row]),
    ["states", state(1)],
  ];

  it("tells every kind from the others, and any column that is missing or too many", () => {
    for (const [name, record] of all) {
      expect(entryOf(record)).toEqual([name, record]);
      expect(entryOf({ ...record, extra: 1 })).toBeUndefined();
      const optional = ["google", "github", "twitter"];
      for (const column of Object.keys(record).filter((key) => !optional.includes(key)))
        expect(entryOf(Object.fromEntries(Object.entries(record).filter(([key]) => key !== column)))).toBeUndefined();
    }
  });

  it("gives one text, in whatever order its columns come", () => {
    for (const [name, record] of all) {
      const turned = Object.fromEntries(Object.entries(record).toReversed());
      expect(recordText([name, turned] as unknown as Entry)).toBe(recordText([name, record] as Entry));
      expect(JSON.parse(recordText([name, record] as Entry))).toEqual(record);
    }
  });
});

/** A store of which `db.json` holds one half, and its two journals the rest. */
async function brokenUp(path: string): Promise<{ snapshot: Buffer; old: Buffer; journal: Buffer }> {
  const document = new Document();
  const { instances, personas, users, identities, sessions } = people();
  for (const row of instances) document.apply(["put", "instances", row]);
  for (const row of personas) document.apply(["put", "personas", row]);
  for (const row of users) document.apply(["put", "users", row]);
  for (const row of identities) document.apply(["put", "identities", row]);
  for (const row of sessions) document.apply(["put", "sessions", row]);
  document.apply(["put", "states", state(1)]);
  const snapshot = new Snapshot(path, document);
  snapshot.sequence = 10;
  await snapshot.write(document);
  const late = [5, 6, 7, 8].map((n) => user(n));
  const groups: Change[][] = [
    [
      ["put", "users", late[0]!],
      ["put", "identities", identity(15, late[0]!)],
      ["put", "sessions", session(25, late[0]!)],
    ],
    [
      ["put", "users", user(2, { name: "Charles" })],
      ["put", "states", state(2)],
    ],
    [["put", "users", late[1]!]],
    [
      ["delete", "states", state(1).state],
      ["put", "users", user(2, { name: "Charles II" })],
    ],
    [
      ["put", "users", late[2]!],
      ["delete", "sessions", sessionId(24)],
    ],
    [["put", "users", late[3]!]],
  ];
  const lines = groups.map((changes, n) => encodeLine(11 + n, changes));
  await writeFile(`${journalOf(path)}.old`, Buffer.concat(lines.slice(0, 3)));
  await writeFile(journalOf(path), Buffer.concat(lines.slice(3)));
  return {
    snapshot: await readFile(path),
    old: Buffer.concat(lines.slice(0, 3)),
    journal: Buffer.concat(lines.slice(3)),
  };
}

type Tables = Record<TableName, Map<string, unknown>>;

function emptyTables(): Tables {
  return Object.fromEntries(TABLE_NAMES.map((name) => [name, new Map()])) as Tables;
}

const recordLine = (line: string): string => line.replace(/,$/, "");

/** What whole lines of the files say: those that stand as they were written. */
function readable(
  written: { snapshot: Buffer; old: Buffer; journal: Buffer },
  found: { snapshot: string; old: string; journal: string },
): Tables {
  const tables = emptyTables();
  const known = new Set(written.snapshot.toString().split("\n").map(recordLine));
  for (const line of found.snapshot.split("\n").map(recordLine)) {
    if (!known.has(line) || !line.startsWith("{") || line.startsWith('{"format"')) continue;
    const { crc32: _, ...columns } = JSON.parse(line) as Record<string, unknown>;
    const [name, record] = entryOf(columns)!;
    tables[name].set(keyOf(name, record), record);
  }
  const lines = [written.old, written.journal].flatMap((file) => file.toString().trimEnd().split("\n"));
  // The line at a file's end may have lost the byte that ends it to another; in the last file it must have one.
  const ended = (file: string, isLast: boolean): string[] => {
    const rows = file.split("\n");
    return [...(isLast ? rows.slice(0, -1) : rows), rows.at(-1)!.slice(0, -1)];
  };
  const there = new Set([...ended(found.old, found.journal === ""), ...ended(found.journal, true)]);
  for (const line of lines.filter((text) => there.has(text)))
    for (const [action, name, subject] of decodeLine(Buffer.from(line))!.changes)
      if (action === "put") tables[name].set(keyOf(name, subject), subject);
      else tables[name].delete(subject);
  return tables;
}

async function repaired(path: string): Promise<{ repair: Repair; copies: string[] }> {
  const repair = await openRepair(path, { now: new Date(at(0)) });
  try {
    return { repair, copies: repair.losses.length > 0 ? await repair.apply() : [] };
  } finally {
    await repair.close();
  }
}

async function checkedAs(path: string, content: string): ReturnType<typeof checkJsonStore> {
  await writeFile(path, content);
  return checkJsonStore(path);
}

describe("A repair", () => {
  const damage = fc.record({
    file: fc.constantFrom("snapshot", "old", "journal"),
    how: fc.constantFrom("flip", "cut", "zero", "drop line", "swap lines", "insert"),
    place: fc.double({ min: 0, max: 0.9999, noNaN: true }),
    mask: fc.integer({ min: 1, max: 255 }),
  });

  function harm(bytes: Buffer, { how, place, mask }: { how: string; place: number; mask: number }): Buffer {
    const at_ = Math.floor(place * bytes.length);
    if (how === "flip") return damagedBy(bytes, at_, mask, "flip");
    if (how === "cut") return bytes.subarray(0, at_);
    if (how === "insert") return Buffer.concat([bytes.subarray(0, at_), Buffer.from([mask]), bytes.subarray(at_)]);
    if (how === "zero")
      return Buffer.concat([
        bytes.subarray(0, at_),
        Buffer.alloc(Math.min(300, bytes.length - at_)),
        bytes.subarray(at_ + 300),
      ]);
    const lines = bytes.toString("latin1").split("\n");
    const n = Math.floor(place * (lines.length - 1));
    if (how === "drop line") lines.splice(n, 1);
    else lines.splice(n, 2, ...lines.slice(n, n + 2).toReversed());
    return Buffer.from(lines.join("\n"), "latin1");
  }

  it(
    "keeps every record that is readable, makes up none, says what it lost, and leaves a store that opens",
    { timeout: 30_000 + RUNS * 100 },
    async () => {
      const directory = await temporaryDirectory();
      await fc.assert(
        fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
          const path = join(await mkdtemp(join(directory, "-")), "db.json");
          const written = await brokenUp(path);
          const harmed = { ...written };
          for (const one of damages) {
            const file = one.file as keyof typeof harmed;
            harmed[file] = harm(harmed[file], one);
          }
          // What says that it is of a newer format is refused.
          fc.pre(!/"version":[3-9]/.test(harmed.snapshot.toString()));
          await writeFile(path, harmed.snapshot);
          await writeFile(`${journalOf(path)}.old`, harmed.old);
          await writeFile(journalOf(path), harmed.journal);
          const before = await filesBeside(path);
          const text = (bytes: Buffer): string => bytes.toString();
          const expected = readable(written, {
            snapshot: text(harmed.snapshot),
            old: text(harmed.old),
            journal: text(harmed.journal),
          });

          // Where no instance can be read, nothing is done.
          fc.pre(expected.instances.size > 0);
          const checked = await checkJsonStore(path);
          expect(await filesBeside(path)).toEqual(before);
          const { repair, copies } = await repaired(path);
          expect(repair.losses.length > 0).toBe(checked.damage.length > 0);
          if (copies.length > 0) {
            const saved = await Promise.all(copies.map((copy) => readFile(copy, "latin1")));
            expect(saved).toEqual([before["db.json"], before["db.journal.old"], before["db.journal"]]);
          } else {
            expect(await filesBeside(path)).toEqual(before);
          }
          expect((await checkJsonStore(path)).damage).toEqual([]);

          const result = new Document();
          const reader = new Snapshot(path, result);
          await reader.read();
          const old = await replay(`${journalOf(path)}.old`, reader.sequence, (one) => result.apply(one), warn);
          await replay(journalOf(path), old.sequence, (one) => result.apply(one), warn);
          const isJournalWhole = harmed.old.equals(written.old) && harmed.journal.equals(written.journal);
          for (const name of TABLE_NAMES) {
            // Where a change may be lost, no sign-in under way is kept.
            if (name === "states" && !isJournalWhole) continue;
            expect([...result.tables[name].keys()].toSorted()).toEqual([...expected[name].keys()].toSorted());
            for (const [key, record] of expected[name]) expect(result.tables[name].get(key)).toEqual(record);
          }
          await (await openJsonStore(path, { warn })).close();
        }),
        { numRuns: RUNS },
      );
    },
  );

  it.each([
    ["a number that is too high", '"sequence":10', '"sequence":18'],
    ["a number that is too low", '"sequence":10', '"sequence":00'],
    ["the format before", '"version":2', '"version":1'],
    ["another format", "svc-identity", "svc-identitx"],
    ["its end in the middle", '"sessions":[\n', '"checksum":"00000000"}\n"sessions":[\n'],
  ])("of a document that was altered to tell %s keeps all records of it and of the journal", async (_, from, to) => {
    const path = await newPath();
    const { snapshot } = await brokenUp(path);
    await writeFile(path, snapshot.toString().replace(from, to));
    const { repair } = await repaired(path);
    expect(repair.losses).not.toEqual([]);
    expect(repair.kept).toMatchObject({ instances: 2, personas: 2, users: 8, identities: 5, sessions: 4 });
    expect(await checkJsonStore(path)).toMatchObject({ damage: [], tables: repair.kept });
  });

  it("leaves a sound store alone", async () => {
    const path = await newPath();
    await brokenUp(path);
    const before = await filesBeside(path);
    const { repair } = await repaired(path);
    expect(repair.losses).toEqual([]);
    expect(await filesBeside(path)).toEqual(before);
  });

  it("applies the changes behind a damaged line, names what that line changed, and keeps no sign-in under way", async () => {
    const path = await newPath();
    const { old } = await brokenUp(path);
    const lines = old.toString().split("\n");
    lines[1] = lines[1]!.replace("Charles", "Charlex");
    await writeFile(`${journalOf(path)}.old`, lines.join("\n"));
    const { repair } = await repaired(path);
    expect(repair.losses).toEqual([
      `${journalOf(path)}.old, line 2, offset ${lines[0]!.length + 1}: this is not what was written (put users ${id(2)}, put states)`,
      `${journalOf(path)}: change 12 is missing`,
    ]);
    expect(repair.notes.join()).toContain("what they deleted may be there again");
    expect(repair.losses.join()).not.toContain(state(2).state);
    expect(repair.kept).toMatchObject({ users: 8, states: 0 });
    const store = await openJsonStore(path, { warn });
    expect((await store.findUser(A, id(2)))?.user.name).toBe("Charles II");
    expect(await store.takeState(state(1).state)).toBeUndefined();
    await store.close();
  });

  it("of a document of format 1 keeps what reads well, and says that it can't know better", async () => {
    const path = await newPath();
    const whole = await readFile(new URL("formats/1.db", import.meta.url), "utf8");
    const counts = (await checkedAs(path, whole)).tables;
    expect(counts.users).toBeGreaterThan(0);
    expect(await checkedAs(path, whole.replace("acme", "acmf"))).toMatchObject({
      damage: [expect.stringContaining("doesn't tell which of its records")],
      tables: counts,
    });
    const { repair, copies } = await repaired(path);
    expect([repair.kept, copies.length]).toEqual([counts, 1]);
    expect(await checkJsonStore(path)).toMatchObject({ kind: "json, format 2", damage: [], tables: counts });
    const lines = whole.split("\n");
    const first = lines.findIndex((line) => line.startsWith('"users"')) + 1;
    lines[first] = lines[first]!.replace('{"', "{");
    expect(await checkedAs(path, lines.join("\n"))).toMatchObject({ tables: { users: counts.users - 1 } });
    expect(await checkedAs(path, lines.slice(1).join("\n"))).toMatchObject({ tables: { users: counts.users - 1 } });
  });

  it("leaves out what belongs to nobody only where it is asked to", async () => {
    const content = people();
    const path = await makeStore({ ...content, users: content.users.slice(1) });
    expect((await checkJsonStore(path)).dangling).toHaveLength(4);
    const first = await openRepair(path, { now: new Date(at(0)) });
    expect(first.losses).toEqual([]);
    await first.close();
    const second = await openRepair(path, { now: new Date(at(0)), dropDangling: true });
    expect(second.losses).toContain(`identities ${id(11)}: it belongs to user ${id(1)}, which isn't there`);
    await second.apply();
    await second.close();
    expect(await checkJsonStore(path)).toMatchObject({ damage: [], dangling: [], tables: { users: 3, identities: 2 } });
    await expect(exported(driverOf(path))).resolves.toContain("Charles Babbage");
  });

  it("refuses a store in use, one that a newer svc wrote, and what is none", async () => {
    const path = await makeStore();
    const store = await openJsonStore(path, { warn });
    await expect(openRepair(path, { now: new Date() })).rejects.toMatchObject({ reason: "locked" });
    await store.close();
    for (const [content, message] of [
      [HEADER_99, "newer svc"],
      ['{"name":"app"}', "is no svc store"],
      ["", "is no svc store"],
    ] as const) {
      await writeFile(path, content);
      const before = await filesBeside(path);
      await expect(openRepair(path, { now: new Date() })).rejects.toThrow(message);
      expect(await filesBeside(path)).toEqual(before);
    }
  });
});
