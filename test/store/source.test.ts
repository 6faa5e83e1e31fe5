import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { removal, type Change } from "../../src/server/store/json/document/tables.ts";
import { Document } from "../../src/server/store/json/document/document.ts";
import { openJsonStore } from "../../src/server/store/json/json-store.ts";
import { encodeLine } from "../../src/server/store/json/files/journal-lines.ts";
import { DocumentFile } from "../../src/server/store/json/files/document-file.ts";
import { openJsonSource } from "../../src/server/store/json/maintenance/source.ts";
import { driverOf } from "../../src/server/store/move/index.ts";
import type { Driver } from "../../src/server/store/maintenance.ts";
import { MOVED_NAMES, type Entry } from "../../src/server/store/records.ts";
import type { Source } from "../../src/server/store/maintenance.ts";
import { StoreRefused } from "../../src/server/store/store.ts";
import { documentIn, firstHeader, firstLine, secondLine } from "./_files.ts";
import { crowd, journalOf, makeStore, newPath, warn } from "./_move.ts";
import { temporaryDirectory } from "../_files.ts";
import { arrival, id, records, session, sessionId, state, user } from "./_records.ts";

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

describe("A file store as a source for copies", () => {
  const keys = fc.integer({ min: 1, max: 6 });
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc
      .tuple(keys, fc.integer({ min: 0, max: 99 }))
      .map(([n, v]): Change => ["put", "users", user(n, { name: `v${v}` })]),
    // In the form of older stores, and in today's.
    keys.map((n): Change => ["delete", "users", id(n)]),
    keys.map((n): Change => removal("users", user(n))),
    keys.map((n): Change => ["put", "sessions", session(n, user(n))]),
    keys.map((n): Change => ["delete", "sessions", sessionId(n)]),
    keys.map((n): Change => ["put", "states", state(n)]),
  );

  it("returns what a start would find, in the same order, at any point of a compaction", async () => {
    const directory = temporaryDirectory();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
        fc.nat(12),
        fc.nat(12),
        fc.nat(12),
        fc.nat(12),
        async (groups, compacted, late, oldStart, oldEnd) => {
          const path = join(directory, "db.json");
          await rm(directory, { recursive: true });
          await mkdir(directory);
          const [first, last] = [Math.min(compacted, oldStart, groups.length), Math.max(compacted, oldEnd)];
          const lines = groups.map((changes, n) => encodeLine(n + 1, changes));
          const written = new Document();
          // A document may contain changes made while it was written.
          for (const changes of groups.slice(0, compacted + late)) for (const one of changes) written.apply(one);
          const file = new DocumentFile(path, written);
          file.header = firstHeader(Math.min(compacted, groups.length));
          await file.write(written);
          await writeFile(`${journalOf(path)}.old`, Buffer.concat([firstLine(), ...lines.slice(first, last)]));
          await writeFile(journalOf(path), Buffer.concat([secondLine(), ...lines.slice(last)]));

          const expected = await documentIn(path);

          const source = await openJsonSource(path);
          const found = await entriesOf(source);
          const again = await entriesOf(source);
          await source.close();
          const names = MOVED_NAMES;
          expect(found).toEqual(names.flatMap((name) => [...expected.tables[name].values()].map((row) => [name, row])));
          expect(again).toEqual(found);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("keeps its moment while the store continues, compacts and is emptied", async () => {
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
    ["a missing file", async () => {}, "There is no store at"],
    ["an empty journal alone", (path: string) => writeFile(journalOf(path), ""), "There is no store at"],
    ["a directory", (path: string) => mkdir(path), "is not a file"],
    ["other JSON", (path: string) => writeFile(path, '{"users":[]}'), "is not an svc store"],
    ["a newer format", (path: string) => writeFile(path, HEADER_99), "written by a newer svc (format 99)"],
  ])("refuses %s", async (_, make, message) => {
    const path = await newPath();
    await make(path);
    await expect(readAll(driverOf(path))).rejects.toThrow(message);
    await expect(readAll(driverOf(path))).rejects.toBeInstanceOf(StoreRefused);
  });
});

const HEADER_99 = '{"format":"svc-identity","version":99,"sequence":1,\n"crc32":"00000000"}\n';
