import { readFile, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { StateRecord } from "../../src/server/store/records.ts";
import type { Store } from "../../src/server/store/store.ts";
import { fill, newPath, open, expectNoWarnings } from "./_file.ts";
import { abandoned } from "./_abandoned.ts";
import { A, arrival, at, contentOf, id, people, records, state, user } from "./_records.ts";
import { testStore } from "./_conformance.ts";

expectNoWarnings();

const taken = async (store: Store, saved: readonly StateRecord[]): Promise<unknown[]> =>
  Promise.all(saved.map((record) => store.find("states", record.state)));

testStore("file", async () => open(await newPath()));

describe("A reopened store", () => {
  it.each<[how: string, leave: (store: Store, path: string) => Promise<string>]>([
    ["closed", async (store, path) => (await store.close(), path)],
    ["abandoned at any moment", (_, path) => abandoned(path)],
  ])("has the same records in the same order after it was %s", async (_, leave) => {
    const path = await newPath();
    const before = await open(path);
    await fill(before);
    const content = await contentOf(before);
    const after = await open(await leave(before, path));
    expect(await contentOf(after)).toEqual(content);
    const states = [1, 2, 3].map((n) => state(n));
    expect(await taken(after, states)).toEqual([state(1), undefined, state(3)]);
    await after.close();
    await before.close();
  });

  it("has a user's providers in the same order, whichever was used last", async () => {
    const path = await newPath();
    const before = await open(path);
    await before.seed(people());
    await before.completeSignIn(arrival({ uid: "ada" }));
    const content = await contentOf(before);
    await before.close();
    const after = await open(path);
    expect(await contentOf(after)).toEqual(content);
    await after.close();
  });

  it("has the same text in any script, with line ends, quotes and lone surrogates", async () => {
    const path = await newPath();
    const name = 'Ада\n"\\\r\u2028\u0000\u{1f600}\ud800\ufeff","crc32":"00000000"}';
    const before = await open(path);
    await before.seed(records({ users: [user(1, { name })] }));
    const copy = await abandoned(path);
    await before.close();
    for (const place of [path, copy]) {
      const after = await open(place);
      expect((await after.findUser(A, id(1)))?.user.name).toBe(name);
      await after.close();
    }
  });

  it("is replaced completely by a reset, and can be seeded again", async () => {
    const path = await newPath();
    const before = await open(path);
    await fill(before);
    await before.close();
    const open1 = await open(path);
    await open1.saveState(state(4));
    const copy = await abandoned(path);
    await open1.close();
    for (const place of [path, copy]) {
      const after = await open(place);
      await after.replace({ instances: [], personas: [], users: [], identities: [], sessions: [] });
      expect(await contentOf(after)).toEqual({ instances: [], personas: [], users: [], sessions: [] });
      expect(await after.find("states", state(4).state)).toBeUndefined();
      await after.seed(records());
      await after.close();
    }
  });
});

describe("db.json", () => {
  it("is JSON with one record per line once the store is closed, and the only file with records", async () => {
    const path = await newPath();
    const store = await open(path);
    await fill(store);
    const { instances, personas, users } = await contentOf(store);
    expect(store.location).toBe(path);
    await store.close();

    const text = await readFile(path, "utf8");
    const document = JSON.parse(text) as Record<string, unknown[]>;
    expect(Object.keys(document)).toEqual([
      "format",
      "version",
      "store",
      "journal",
      "number",
      "written_at",
      "records",
      "settings",
      "instances",
      "personas",
      "users",
      "identities",
      "sessions",
      "states",
      "checksum",
    ]);
    expect(document).toMatchObject({ instances, personas, states: [state(1), state(3)] });
    expect(document["users"]).toHaveLength(users.length);
    for (const view of users) expect(document["users"]).toContainEqual(view.user);
    const lines = text.split("\n");
    for (const table of ["instances", "personas", "users", "identities", "sessions", "states"]) {
      const start = lines.indexOf(`"${table}":[`) + 1;
      const rows = lines.slice(start, lines.indexOf("],", start)).map((line) => line.replace(/,$/, ""));
      expect(rows.map((row) => JSON.parse(row) as unknown)).toEqual(document[table]);
    }
    expect((await readdir(dirname(path))).filter((name) => name.startsWith("db.journal"))).toEqual(["db.journal"]);
  });

  it("does not change a byte when the store is opened and closed", async () => {
    const path = await newPath();
    const store = await open(path);
    await fill(store);
    await store.close();
    const before = await readFile(path);
    await (await open(path)).close();
    expect(await readFile(path)).toEqual(before);
  });
});

describe("Closing a store", () => {
  it("loses no acknowledged write made meanwhile", async () => {
    const lost: string[] = [];
    for (let round = 0; round < 20; round++) {
      const path = await newPath();
      const store = await open(path);
      if (round % 2 === 0) await store.seed(people());
      const acknowledged: StateRecord[] = [];
      const calls: Promise<unknown>[] = [];
      const progress = { closed: false };
      const closing = store.close().then(() => (progress.closed = true));
      for (let n = 1; !progress.closed && n < 1000; n++) {
        const save = store.saveState(state(n)).then(() => acknowledged.push(state(n)));
        calls.push(save.catch(() => undefined));
        await (n % 3 === 0 ? setImmediate() : Promise.resolve());
      }
      await Promise.all([closing, ...calls]);
      const after = await open(path);
      const found = await taken(after, acknowledged);
      lost.push(...acknowledged.filter((_, n) => found[n] === undefined).map((record) => `${round}: ${record.state}`));
      await after.close();
    }
    expect(lost).toEqual([]);
  });

  it("happens once: a second close affects nothing of the next owner", async () => {
    const path = await newPath();
    const first = await open(path);
    await first.seed(records());
    await first.close();
    const next = await open(path);
    await next.saveState(state(1));
    await first.close();
    await next.saveState(state(2));
    const after = await open(await abandoned(path));
    expect(await taken(after, [state(1), state(2)])).toEqual([state(1), state(2)]);
    await after.close();
    await next.close();
  });
});

describe("Expired states", () => {
  it("are removed once, however many sign-ins start at the same time", async () => {
    const path = await newPath();
    const store = await open(path);
    await Promise.all(Array.from({ length: 300 }, (_, n) => store.saveState(state(n))));
    await store.close();
    const again = await open(path);
    const later = { created_at: at(700), expires_at: at(1300) };
    await Promise.all(Array.from({ length: 100 }, (_, n) => again.saveState(state(5000 + n, later))));
    const { size } = await stat(join(dirname(path), "db.journal"));
    expect(size).toBeLessThan(300 * 100 + 100 * 500);
    await again.close();
  });
});
