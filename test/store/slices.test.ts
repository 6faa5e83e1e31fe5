import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { Collection } from "../../src/server/store/json/document/collection.ts";
import { Document } from "../../src/server/store/json/document/document.ts";
import { Slices } from "../../src/server/store/slices.ts";
import { USER_FIELDS } from "../../src/wire/search/fields.ts";
import { parseQuery, type Query } from "../../src/wire/search/query.ts";
import type { UserRecord } from "../../src/server/store/records.ts";
import { A, id, user } from "./_records.ts";

/** Takes as long as presenting some rows. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

const COUNT = 100_000;
const document = new Document();
for (let n = 1; n <= COUNT; n++) document.apply(["put", "users", user(n)]);

it.each([
  ["a list", []],
  ["a search by a common letter", parseQuery("email:*e*", USER_FIELDS)],
  ["a search that matches every row", parseQuery("-name:absent", USER_FIELDS)],
] as [string, Query][])(
  "%s of 100,000 users yields to others every few milliseconds",
  { timeout: 120_000 },
  async (_, query) => {
    const seen = { rows: 0, turns: 0, sinceTurn: 0, most: 0, isDone: false };
    const others = (async () => {
      while (!seen.isDone) {
        await turn();
        seen.turns++;
        seen.sinceTurn = 0;
      }
    })();
    for await (const rows of document.tenant(A).users.find({ query }, (row) => row)) {
      seen.rows += rows.length;
      seen.sinceTurn += rows.length;
      seen.most = Math.max(seen.most, seen.sinceTurn);
      work(1);
    }
    seen.isDone = true;
    await others;
    expect(seen.rows).toBe(COUNT);
    // Two milliseconds of work, and the batch started within them.
    expect(seen.most).toBeLessThanOrEqual(4 * 256);
    expect(seen.turns).toBeGreaterThan(COUNT / 1024 - 1);
  },
);

/** Users whose keys the store has to read one by one, which takes a while. */
function createSlow(count: number): {
  users: Collection<UserRecord>;
  rows: Map<string, UserRecord>;
  asked: { keys: number };
} {
  const rows = new Map(Array.from({ length: count }, (_, n) => [id(n), user(n)]));
  const asked = { keys: 0 };
  const users = new Collection<UserRecord>({
    key(row) {
      asked.keys++;
      work(0.01);
      return row.id;
    },
    time: (row) => row.created_at,
    current: (key) => rows.get(key),
    indexes: {},
  });
  for (const row of rows.values()) users.add(row);
  return { users, rows, asked };
}

it("The first search of a field yields to others while it reads all rows", async () => {
  const { users, asked } = createSlow(5_000);
  const seen = { most: 0, isDone: false };
  const others = (async () => {
    while (!seen.isDone) {
      await turn();
      seen.most = Math.max(seen.most, asked.keys);
      asked.keys = 0;
    }
  })();
  let found = 0;
  for await (const rows of users.find({ query: parseQuery("email:*e*", USER_FIELDS) }, (row) => row))
    found += rows.length;
  seen.isDone = true;
  await others;
  expect(found).toBe(5_000);
  expect(seen.most).toBeLessThanOrEqual(4 * 256);
});

it("The first search of a field misses no row that changes meanwhile", async () => {
  const { users, rows, asked } = createSlow(5_000);
  const remove = (n: number): void => {
    const row = rows.get(id(n))!;
    rows.delete(row.id);
    users.remove(row);
  };
  const rename = (n: number): void => {
    const [before, after] = [rows.get(id(n))!, user(n, { name: "renamed" })];
    rows.set(after.id, after);
    users.replace(before, after);
  };
  const add = (n: number): void => {
    rows.set(id(n), user(n, { name: "new" }));
    users.add(rows.get(id(n))!);
  };
  const find = async (text: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const batch of users.find({ query: parseQuery(text, USER_FIELDS) }, (row) => row))
      found.push(...batch.map((row) => row.id));
    return found;
  };
  const isLearning = async (): Promise<void> => {
    asked.keys = 0;
    while (asked.keys === 0) await turn();
  };

  const first = find("email:*e*");
  await isLearning();
  for (let n = 0; n < 1_000; n++) {
    remove(n * 2);
    rename(n * 2 + 1);
    add(5_000 + n);
  }
  await first;
  expect(new Set(await find("email:*e*")).size).toBe(5_000);
  expect(await find("email:*e*")).toHaveLength(5_000);
  expect(await find("name:renamed")).toHaveLength(1_000);
  expect(await find("name:new")).toHaveLength(1_000);
});

it("The first search of a field starts again if most rows are deleted meanwhile", async () => {
  const { users, rows } = createSlow(5_000);
  const find = async (): Promise<number> => {
    let found = 0;
    for await (const batch of users.find({ query: parseQuery("email:*e*", USER_FIELDS) }, (row) => row))
      found += batch.length;
    return found;
  };
  const first = find();
  await turn();
  for (const row of [...rows.values()].slice(1_000)) {
    rows.delete(row.id);
    users.remove(row);
  }
  expect(await first).toBe(1_000);
  expect(await find()).toBe(1_000);
});

it("Several reads take turns, a slice each", async () => {
  const slices = new Slices();
  const order: number[] = [];
  await Promise.all(
    [0, 1, 2].map(async (n) => {
      await slices.next(true);
      for (let piece = 0; piece < 5; piece++) {
        order.push(n);
        work(3);
        await slices.next();
      }
    }),
  );
  expect(order).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
});

it("A new read goes before those that have had their slice", async () => {
  const slices = new Slices();
  const order: string[] = [];
  const long = ["a", "b", "c"].map(async (name) => {
    for (let piece = 0; piece < 5; piece++) {
      order.push(name);
      work(3);
      await slices.next();
    }
  });
  await turn();
  const before = order.length;
  await slices.next(true);
  order.push("new");
  await Promise.all(long);
  expect(order.indexOf("new") - before).toBeLessThanOrEqual(1);
});

it("Reads wait while others are busy, and continue after a limited time", async () => {
  const slices = new Slices();
  const others = { isDone: false, turns: 0 };
  const busy = (async () => {
    while (!others.isDone) {
      await turn();
      others.turns++;
      work(1);
    }
  })();
  await slices.next(true);
  work(3);
  await slices.next();
  others.isDone = true;
  await busy;
  expect(others.turns).toBeGreaterThan(1);
});
