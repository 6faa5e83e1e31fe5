import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  VERSION,
  keyOf,
  recordText,
  TABLE_NAMES,
  type Entry,
  type TableName,
  entryOf,
} from "../../src/server/store/records.ts";
import { checkJsonStore } from "../../src/server/store/json/maintenance/check.ts";
import type { AnyRecord, Change } from "../../src/server/store/json/document/tables.ts";
import { Document } from "../../src/server/store/json/document/document.ts";
import { openJsonStore } from "../../src/server/store/json/json-store.ts";
import { decodeLine, encodeLine } from "../../src/server/store/json/files/journal-lines.ts";
import { openRepair, type Repair } from "../../src/server/store/json/maintenance/repair.ts";
import { DocumentFile } from "../../src/server/store/json/files/document-file.ts";
import { driverOf } from "../../src/server/store/move/index.ts";
import { documentIn, firstHeader, firstLine, secondLine } from "./_files.ts";
import { damagedBy, exported, filesBeside, journalOf, makeStore, newPath, warn } from "./_move.ts";
import { temporaryDirectory } from "../_files.ts";
import { A, at, id, identity, people, session, sessionId, state, user, take } from "./_records.ts";

/** The number of damaged stores to repair. */
const RUNS = process.env["SVC_FAULTS"] === "full" ? 2000 : 150;

describe("A repair", () => {
  it("keeps every record of a file whose line ends another system changed", async () => {
    const path = join(temporaryDirectory(), "db.json");
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
    // The repair starts a new journal, which the first line names.
    const records = (text: string): string[] => text.split("\n").slice(1, -2);
    expect(records(await readFile(path, "utf8"))).toEqual(records(before));
  });

  it("is refused if no instance can be read", async () => {
    const path = join(temporaryDirectory(), "db.json");
    const store = await openJsonStore(path, { warn: () => {} });
    await store.seed(people());
    await store.close();
    const text = await readFile(path, "utf8");
    const broken = text.replace(/"instances":\[\n[\s\S]*?\n\],/, (part) => part.replaceAll('"name"', '"nane"'));
    await writeFile(path, broken);
    const repair = await openRepair(path, { now: new Date() });
    await expect(repair.apply()).rejects.toThrow(/no instance can be read.*Nothing was changed/);
    await repair.close();
    expect(await readFile(path, "utf8")).toBe(broken);
  });
});

const HEADER_99 = '{"format":"svc-identity","version":99,"sequence":1,\n"crc32":"00000000"}\n';

describe("The shape of a record", () => {
  const all: Entry[] = [
    ...people().instances.map((row): Entry => ["instances", row]),
    ...people().personas.map((row): Entry => ["personas", row]),
    ...people().users.map((row): Entry => ["users", row]),
    ...people().identities.map((row): Entry => ["identities", row]),
    ...people().sessions.map((row): Entry => ["sessions", row]),
    ["states", state(1)],
  ];

  it("distinguishes the kinds of record, and detects any missing or additional column", () => {
    for (const [name, record] of all) {
      expect(entryOf(record)).toEqual([name, record]);
      expect(entryOf({ ...record, extra: 1 })).toBeUndefined();
      for (const column of Object.keys(record))
        expect(entryOf(Object.fromEntries(Object.entries(record).filter(([key]) => key !== column)))).toBeUndefined();
    }
  });

  it("gives one text for any order of columns", () => {
    for (const [name, record] of all) {
      const turned = Object.fromEntries(Object.entries(record).toReversed());
      expect(recordText([name, turned] as unknown as Entry)).toBe(recordText([name, record] as Entry));
      expect(JSON.parse(recordText([name, record] as Entry))).toEqual(record);
    }
  });
});

/** A store with one half in `db.json` and the rest in its two journals. */
async function brokenUp(path: string): Promise<{ dbJson: Buffer; old: Buffer; journal: Buffer }> {
  const document = new Document();
  const { instances, personas, users, identities, sessions } = people();
  for (const row of instances) document.apply(["put", "instances", row]);
  for (const row of personas) document.apply(["put", "personas", row]);
  for (const row of users) document.apply(["put", "users", row]);
  for (const row of identities) document.apply(["put", "identities", row]);
  for (const row of sessions) document.apply(["put", "sessions", row]);
  document.apply(["put", "states", state(1)]);
  const dbJson = new DocumentFile(path, document);
  dbJson.header = firstHeader(10);
  await dbJson.write(document);
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
  const old = Buffer.concat([firstLine(10), ...lines.slice(0, 3)]);
  const journal = Buffer.concat([secondLine(13), ...lines.slice(3)]);
  await writeFile(`${journalOf(path)}.old`, old);
  await writeFile(journalOf(path), journal);
  return { dbJson: await readFile(path), old, journal };
}

type Tables = Record<TableName, Map<string, AnyRecord>>;

function emptyTables(): Tables {
  return Object.fromEntries(TABLE_NAMES.map((name) => [name, new Map()])) as Tables;
}

const recordLine = (line: string): string => line.replace(/,$/, "");

/** The content of the files' undamaged lines. */
function readable(
  written: { dbJson: Buffer; old: Buffer; journal: Buffer },
  found: { dbJson: string; old: string; journal: string },
): Tables {
  const tables = emptyTables();
  const known = new Set(written.dbJson.toString().split("\n").map(recordLine));
  for (const line of found.dbJson.split("\n").map(recordLine)) {
    if (!known.has(line) || !line.startsWith("{") || line.startsWith('{"format"')) continue;
    const { crc32: _, ...columns } = JSON.parse(line) as Record<string, unknown>;
    const [name, record] = entryOf(columns)!;
    tables[name].set(keyOf(name, record), record);
  }
  const lines = [written.old, written.journal].flatMap((file) => file.toString().trimEnd().split("\n"));
  // The line at a file's end may have lost the byte that ends it to another. In the last file, which is the journal also
  // where it is empty, it must have one.
  const ended = (file: string, isLast: boolean): string[] => {
    const rows = file.split("\n");
    return [...(isLast ? rows.slice(0, -1) : rows), rows.at(-1)!.slice(0, -1)];
  };
  const there = new Set([...ended(found.old, false), ...ended(found.journal, true)]);
  for (const line of lines.filter((text) => there.has(text)))
    for (const [action, name, subject] of decodeLine(Buffer.from(line))?.changes ?? [])
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

describe("A repair of a damaged store", () => {
  const damage = fc.record({
    file: fc.constantFrom("dbJson", "old", "journal"),
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
    "keeps every readable record, invents none, reports losses and leaves a store that opens",
    { timeout: 120_000 + RUNS * 400 },
    async () => {
      const directory = temporaryDirectory();
      await fc.assert(
        fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
          const path = join(await mkdtemp(join(directory, "-")), "db.json");
          const written = await brokenUp(path);
          const harmed = { ...written };
          for (const one of damages) {
            const file = one.file as keyof typeof harmed;
            harmed[file] = harm(harmed[file], one);
          }
          // A newer format is refused.
          fc.pre(!/"version":[05-9]/.test(harmed.dbJson.toString()));
          await writeFile(path, harmed.dbJson);
          await writeFile(`${journalOf(path)}.old`, harmed.old);
          await writeFile(journalOf(path), harmed.journal);
          const before = await filesBeside(path);
          const text = (bytes: Buffer): string => bytes.toString();
          const expected = readable(written, {
            dbJson: text(harmed.dbJson),
            old: text(harmed.old),
            journal: text(harmed.journal),
          });

          // Without a readable instance nothing is done.
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

          const result = await documentIn(path);
          const isJournalWhole = harmed.old.equals(written.old) && harmed.journal.equals(written.journal);
          for (const name of TABLE_NAMES) {
            // If a change may be lost, no sign-in in progress is kept.
            if (name === "states" && !isJournalWhole) continue;
            const byKey = (rows: Iterable<AnyRecord>): AnyRecord[] =>
              [...rows].toSorted((a, b) => (keyOf(name, a) < keyOf(name, b) ? -1 : 1));
            expect(byKey(result.tables[name].values())).toEqual(byKey(expected[name].values()));
          }
          await (await openJsonStore(path, { warn })).close();
        }),
        { numRuns: RUNS },
      );
    },
  );

  it.each<[string, string | RegExp, string]>([
    ["a sequence that is too high", '"sequence":10', '"sequence":18'],
    ["a sequence that is too low", '"sequence":10', '"sequence":00'],
    ["the previous format", `"version":${VERSION}`, `"version":${VERSION - 1}`],
    ["another format", "svc-identity", "svc-identitx"],
    ["another journal", /"journal":"./, '"journal":"g'],
    ["another store", /"store":"./, '"store":"g'],
    ["an end in the middle", '"sessions":[\n', '"checksum":"00000000"}\n"sessions":[\n'],
  ])("that makes a document report %s keeps all records of document and journal", async (_, from, to) => {
    const path = await newPath();
    const { dbJson } = await brokenUp(path);
    await writeFile(path, dbJson.toString().replace(from, to));
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

  it("applies the changes after a damaged line, names what that line changed, and keeps no sign-in in progress", async () => {
    const path = await newPath();
    const { old } = await brokenUp(path);
    const lines = old.toString().split("\n");
    lines[2] = lines[2]!.replace("Charles", "Charlex");
    await writeFile(`${journalOf(path)}.old`, lines.join("\n"));
    const { repair } = await repaired(path);
    expect(repair.losses).toEqual([
      `${journalOf(path)}.old, line 3, offset ${lines[0]!.length + lines[1]!.length + 2}: checksum mismatch (put users ${id(2)}, put states)`,
      `${journalOf(path)}: change 12 is missing`,
    ]);
    expect(repair.notes.join()).toContain("what they deleted may be there again");
    expect(repair.losses.join()).not.toContain(state(2).state);
    expect(repair.kept).toMatchObject({ users: 8, states: 0 });
    const store = await openJsonStore(path, { warn });
    expect((await store.findUser(A, id(2)))?.user.name).toBe("Charles II");
    expect(await take(store, state(1).state)).toBeUndefined();
    await store.close();
  });

  it("removes records with missing references only on request", async () => {
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

  it("refuses a store in use, a newer store, and other files", async () => {
    const path = await makeStore();
    const store = await openJsonStore(path, { warn });
    await expect(openRepair(path, { now: new Date() })).rejects.toMatchObject({ reason: "locked" });
    await store.close();
    await rm(journalOf(path));
    for (const [content, message] of [
      [HEADER_99, "newer svc"],
      ['{"name":"app"}', "is not an svc store"],
      ["", "is not an svc store"],
    ] as const) {
      await writeFile(path, content);
      const before = await filesBeside(path);
      await expect(openRepair(path, { now: new Date() })).rejects.toThrow(message);
      expect(await filesBeside(path)).toEqual(before);
    }
  });
});
