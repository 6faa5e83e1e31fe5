// Below the faces: a copy is interrupted at a known record.

import { open, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { MOVED_NAMES, STORE_VERSION, type Entry, type Records } from "../../src/server/store/records.ts";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { copyStore, driverOf, importStore } from "../../src/server/store/move/index.ts";
import type { Driver } from "../../src/server/store/maintenance.ts";
import { exportStore } from "../../src/server/store/move/export.ts";
import type { Source } from "../../src/server/store/maintenance.ts";
import { StorageUnavailable, StoreRefused } from "../../src/server/store/store.ts";
import { crowd, damagedBy, exported, filesBeside, makeStore, newPath, warn } from "./_move.ts";
import { temporaryDirectory } from "../_files.ts";
import { A, contentOf, id, people, records, state } from "./_records.ts";

async function importText(
  driver: Driver,
  text: string | Buffer,
  directory = temporaryDirectory(),
): Promise<Awaited<ReturnType<typeof importStore>>> {
  const path = join(directory, "export.ndjson");
  await writeFile(path, text);
  const file = await open(path);
  try {
    return await importStore(driver, "export.ndjson", file);
  } finally {
    await file.close();
  }
}

/** A store that is not a file, like a database for a copy. It fails after `room` more puts. */
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
          if (held?.isFinished) throw new StoreRefused("unusable", "memory is not empty");
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
  };
  return driver;
}

describe("A copy of a store", () => {
  it("is equal byte for byte in every direction", async () => {
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
    const [one, other] = await Promise.all([path, back].map((file) => openFileStore(file, { warn })));
    onTestFinished(async () => void (await Promise.all([one!.close(), other!.close()])));
    expect(await contentOf(other!)).toEqual(await contentOf(one!));
  });

  it("resumes after an interruption at any point", async () => {
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
      // No record is put twice.
      expect(target.puts).toBe(whole.puts);
    }
  });

  it("starts over if the source has changed since", async () => {
    const path = await makeStore();
    const target = memoryDriver();
    target.room = 0;
    await expect(copyStore(driverOf(path), target)).rejects.toThrow("memory is away");
    target.room = Infinity;
    const store = await openFileStore(path, { warn });
    await store.deleteUser(A, id(1));
    await store.close();
    const copy = await copyStore(driverOf(path), target);
    expect([copy.isEqual, copy.to.digests.users.count]).toEqual([true, 3]);
  });

  it("into a store with records is refused without a change, except for the same copy again", async () => {
    const [path, other] = [await makeStore(), await makeStore(crowd(3))];
    const before = await filesBeside(other);
    await expect(copyStore(driverOf(path), driverOf(other))).rejects.toThrow("is not empty");
    expect(await filesBeside(other)).toEqual(before);
    const target = await newPath();
    await copyStore(driverOf(path), driverOf(target));
    const files = await filesBeside(target);
    expect(await copyStore(driverOf(path), driverOf(target))).toMatchObject({ isEqual: true, wasThere: true });
    expect(await filesBeside(target)).toEqual(files);
  });

  it("to itself, or of nothing, is refused", async () => {
    const path = await makeStore();
    const before = await filesBeside(path);
    await expect(copyStore(driverOf(path), driverOf(path))).rejects.toThrow("can't be copied to itself");
    expect(await filesBeside(path)).toEqual(before);
    const empty = await makeStore(records({ instances: [] }));
    await expect(copyStore(driverOf(empty), memoryDriver())).rejects.toThrow("is empty: there is nothing to copy");
  });

  it("is a store with its last record, and none before", async () => {
    const path = await makeStore();
    const target = await newPath();
    const writer = await driverOf(target).openTarget();
    await writer.begin("f".repeat(64));
    await writer.put([["instances", people().instances[0]!]]);
    await expect(openFileStore(target, { warn })).rejects.toMatchObject({ reason: "locked" });
    await writer.close();
    expect(await copyStore(driverOf(path), driverOf(target))).toMatchObject({ isEqual: true });
    expect(Object.keys(await filesBeside(target))).toEqual(["db.journal", "db.json"]);
  });

  it("is told from one with any difference", async () => {
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

const [USER] = people().users;

describe("An export of a store", () => {
  it("is the same from every kind of store and imports to the same", async () => {
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

  it("starts with its kind, ends with counts and a hash, and does not contain its origin", async () => {
    const path = await makeStore();
    const lines = (await exported(driverOf(path))).trimEnd().split("\n");
    expect(lines[0]).toBe(`{"format":"svc-identity-export","version":${STORE_VERSION}}`);
    expect(JSON.parse(lines.at(-1)!)).toEqual({
      end: { instances: 2, personas: 2, users: 4, identities: 4, sessions: 4 },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(lines.join()).not.toContain(dirname(path));
    expect(lines.join()).not.toContain(state(1).state);
  });

  it("waits for its reader", async () => {
    const source = await (await copied(crowd(1100))).openSource();
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

  it("is refused if it was cut or altered anywhere, and nothing of it is applied", async () => {
    const whole = Buffer.from(await exported(driverOf(await makeStore())));
    const target = await newPath();
    const beside = temporaryDirectory();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.constantFrom("cut", "flip", "drop", "double"),
        async (place, mask, how) => {
          const altered = damagedBy(whole, place, mask, how);
          const error = await importText(driverOf(target), altered, beside).catch((thrown: Error) => thrown);
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
    ["with the line ends of Windows", (text: string) => text.replaceAll("\n", "\r\n")],
    ["with a byte order mark", (text: string) => `\uFEFF${text}`],
    ["with both", (text: string) => `\uFEFF${text.replaceAll("\n", "\r\n")}`],
  ])("is read as it was exported %s", async (_, convert) => {
    const text = await exported(driverOf(await makeStore(crowd(3))));
    const target = await newPath();
    await importText(driverOf(target), convert(text));
    expect(await exported(driverOf(target))).toBe(text);
  });

  it.each<[what: string, mark: string, encoding: BufferEncoding, message: RegExp]>([
    [
      "UTF-16",
      "\uFEFF",
      "utf16le",
      /^export\.ndjson, line 1: this is UTF-16, as .* Export it again with --output-file\./,
    ],
    ["Latin-1", "", "latin1", /^export\.ndjson, line \d+: this is not UTF-8: something converted the file\./],
  ])("that was converted to %s is refused for that", async (_, mark, encoding, message) => {
    const text = (await exported(driverOf(await makeStore(crowd(3))))).replaceAll("李", "Ö");
    await expect(importText(driverOf(await newPath()), Buffer.from(mark + text, encoding))).rejects.toThrow(message);
  });

  it.each([
    ["an empty file", "", " is empty."],
    [
      "a file that is not an export",
      '{"users":[]}\n',
      ", line 1: this is not an export of svc. To make one, run svc store export. Nothing was imported.",
    ],
    [
      "an export of another version",
      `{"format":"svc-identity-export","version":${STORE_VERSION + 1}}\n`,
      ", line 1: another version of svc made this export.",
    ],
    [
      "an export without an end",
      `{"format":"svc-identity-export","version":${STORE_VERSION}}\n`,
      ": it was cut off behind line 1.",
    ],
    [
      "an instance with a key that no server starts with",
      `{"format":"svc-identity-export","version":${STORE_VERSION}}\n${JSON.stringify({ table: "instances", record: { ...people().instances[0]!, secret_key: "sk_x" } })}\n`,
      `, line 2: instances ${people().instances[0]!.id}: its secret_key is not valid.`,
    ],
    ...(
      [
        ["null in a column that must have a value", { ...USER, name: null }, ".name must be text"],
        ["a column that has gone", { ...USER, email: undefined }, ".email is missing"],
        ["a column that no user has", { ...USER, nickname: "Ada" }, ".nickname is not a column"],
        ["no record", null, " must be an object"],
      ] as const
    ).map(([what, record, fault]) => [
      `a record with ${what}`,
      `{"format":"svc-identity-export","version":${STORE_VERSION}}\n${JSON.stringify({ table: "users", record })}\n`,
      `, line 2: users${fault}. Something was altered.`,
    ]),
    [
      "a line without a table",
      `{"format":"svc-identity-export","version":${STORE_VERSION}}\n{"record":{}}\n`,
      ", line 2: a table and its record were expected here. Something was altered.",
    ],
  ])("is refused as %s", async (_, text, message) => {
    const target = await newPath();
    await expect(importText(driverOf(target), text!)).rejects.toThrow(`export.ndjson${message}`);
    expect(await readdir(dirname(target))).toEqual([]);
  });

  it("with two records of one key is refused, and leaves no store", async () => {
    const content = people();
    const twice = { ...content, personas: [...content.personas, content.personas[0]!] };
    const target = await newPath();
    const driver = driverOf(target);
    await expect(importText(driver, await exported(sourceOf(twice)))).rejects.toThrow(
      'personas: another record has the key "mary"',
    );
    expect(await readdir(dirname(target))).not.toContain("db.json");
  });

  it("with a time that svc does not write is refused, and found by a check", async () => {
    const content = people();
    const [first, ...others] = content.users;
    const path = await makeStore({ ...content, users: [{ ...first!, created_at: "yesterday" }, ...others] });
    const fault = `users ${id(1)}: its created_at is not valid`;
    await expect(exported(driverOf(path))).rejects.toThrow(fault);
    expect((await driverOf(path).check()).damage).toEqual([`${fault}. Correct it in db.json, or restore a backup.`]);
  });

  it("with dangling references is refused, as is a copy of it", async () => {
    const content = people();
    const path = await makeStore({ ...content, users: content.users.slice(1) });
    await expect(exported(driverOf(path))).rejects.toThrow(`identities ${id(11)} belongs to user ${id(1)}`);
    await expect(copyStore(driverOf(path), memoryDriver())).rejects.toThrow("Correct it first, or restore a backup.");
    const orphan = { ...people(), instances: [people().instances[0]!] };
    await expect(exported(driverOf(await makeStore(orphan)))).rejects.toThrow(`belongs to instance ${A}`);
  });
});

/** A store that holds anything, like a database that was changed by hand. */
function sourceOf(content: Records): Driver {
  const entries = MOVED_NAMES.flatMap((name) => content[name].map((record) => [name, record] as unknown as Entry));
  const openSource = async (): Promise<Source> => ({
    location: "elsewhere.json",
    async *entries() {
      yield entries;
    },
    async close() {},
  });
  return { ...memoryDriver(), openSource };
}

async function copied(content: Records): Promise<Driver> {
  const driver = memoryDriver();
  await copyStore(driverOf(await makeStore(content)), driver);
  return driver;
}
