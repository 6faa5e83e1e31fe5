import * as fc from "fast-check";
import { expect, it } from "vitest";
import { List } from "../../src/server/store/memory/list.ts";
import { matcher, Row } from "../../src/server/store/memory/match.ts";
import type { UserRecord } from "../../src/server/store/records.ts";
import { parseQuery } from "../../src/wire/search/query.ts";
import { USER_FIELDS } from "../../src/wire/search/fields.ts";
import type { PageOptions } from "../../src/server/store/store.ts";
import { at, id, user } from "./_records.ts";

const time = (row: UserRecord): string => row.created_at;
const NAMES = ["ada", "Ada", "bo", "Bo B", "ADB", "é"];
const QUERIES = ["", "name:a*", "name:*b*", "-name:ada", "name:É", "created_at>2026-06-01T12:00:03Z"];

const step = fc.record({
  kind: fc.constantFrom("add", "remove", "replace", "search"),
  n: fc.nat({ max: 30 }),
  seconds: fc.nat({ max: 8 }),
  name: fc.constantFrom(...NAMES),
  query: fc.constantFrom(...QUERIES),
  limit: fc.constantFrom(1, 3, Infinity),
  isBehind: fc.boolean(),
});

async function found(list: List<UserRecord>, options: PageOptions): Promise<string[]> {
  const ids: string[] = [];
  for await (const batch of list.find(options, (row) => row.id)) ids.push(...batch);
  return ids;
}

/** The same, by sorting and reading all rows each time. */
function naive(rows: Iterable<UserRecord>, { query = [], limit = Infinity, after }: PageOptions): string[] {
  const sorted = [...rows].toSorted((a, b) => time(b).localeCompare(time(a)) || a.id.localeCompare(b.id));
  const matches = matcher<UserRecord>(query);
  return sorted
    .filter((row) => !after || time(row) < after.time || (time(row) === after.time && row.id > after.id))
    .filter((row) => matches(new Row(row, "")))
    .slice(0, limit)
    .map((row) => row.id);
}

it("A page has what sorting and reading all rows finds, after any additions, removals and moves", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const list = new List({ time });
      const rows = new Map<string, UserRecord>();
      for (const { kind, n, seconds, name, query, limit, isBehind } of steps) {
        const before = rows.get(id(n));
        const after = user(n, { name, created_at: at(seconds) });
        if (kind === "search") {
          const options = {
            query: parseQuery(query, USER_FIELDS),
            limit,
            after: isBehind ? { time: at(seconds), id: id(n) } : undefined,
          };
          expect(await found(list, options)).toEqual(naive(rows.values(), options));
          continue;
        }
        if (before && kind !== "add") list.remove(before);
        if (before && kind === "remove") rows.delete(id(n));
        if (kind === "remove" || (kind === "add" && before)) continue;
        list.add(after);
        rows.set(id(n), after);
      }
    }),
  );
});

it("A long list misses no row that moves to its top while it is read, and shows no row twice", async () => {
  const list = new List({ time });
  const rows = Array.from({ length: 5000 }, (_, n) => user(n));
  for (const row of rows) list.load(row);
  list.sort();
  const ids: string[] = [];
  for await (const batch of list.find({}, (row) => row.id)) {
    if (ids.length === 0)
      for (const row of rows.slice(0, 100)) {
        list.remove(row);
        list.add({ ...row, created_at: at(9_000_000) });
      }
    ids.push(...batch);
  }
  expect(ids).toEqual(rows.toReversed().map((row) => row.id));
});

it("A search yields to others every thousand rows", async () => {
  const list = new List({ time });
  for (let n = 0; n < 10_000; n++) list.load(user(n));
  list.sort();
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(await found(list, { query: parseQuery("name:nobody", USER_FIELDS) })).toEqual([]);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(10);
});
