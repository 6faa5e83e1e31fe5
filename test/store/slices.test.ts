import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { Document } from "../../src/server/store/json/document.ts";
import { Slices } from "../../src/server/store/json/slices.ts";
import { USER_FIELDS } from "../../src/wire/fields.ts";
import { parseQuery, type Query } from "../../src/wire/query.ts";
import { A, user } from "./conformance.ts";

/** Works as long as presenting some rows takes. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

const COUNT = 100_000;
const document = new Document();
for (let n = 1; n <= COUNT; n++) document.apply(["put", "users", user(n)]);

it.each([
  ["a list", []],
  ["a search by a common letter", parseQuery("email:*e*", USER_FIELDS)],
  ["a search by what nobody has", parseQuery("-name:absent", USER_FIELDS)],
] as [string, Query][])(
  "%s of 100,000 users gives others a turn every few milliseconds",
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
    for await (const rows of document.tenant(A).users.find({ query }, undefined)) {
      seen.rows += rows.length;
      seen.sinceTurn += rows.length;
      seen.most = Math.max(seen.most, seen.sinceTurn);
      work(1);
    }
    seen.isDone = true;
    await others;
    expect(seen.rows).toBe(COUNT);
    // Two milliseconds of work, and the batch that was begun before they were over.
    expect(seen.most).toBeLessThanOrEqual(4 * 256);
    expect(seen.turns).toBeGreaterThan(COUNT / 1024 - 1);
  },
);

it("several readings take turns, a slice each", async () => {
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

it("a reading that begins goes before those that have had their slice", async () => {
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

it("readings wait while others are busy, and go on all the same after a while", async () => {
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
