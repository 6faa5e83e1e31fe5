// Below the faces: where other requests get a turn at a known row.
import { expect, it } from "vitest";
import { List } from "../../src/server/store/memory/list.ts";
import type { UserRecord } from "../../src/server/store/records.ts";
import { parseQuery } from "../../src/wire/search/query.ts";
import { USER_FIELDS } from "../../src/wire/search/fields.ts";
import type { PageOptions } from "../../src/server/store/store.ts";
import { at, user } from "./_records.ts";

const time = (row: UserRecord): string => row.created_at;
async function found(list: List<UserRecord>, options: PageOptions): Promise<string[]> {
  const ids: string[] = [];
  for await (const batch of list.find(options, (row) => row.id)) ids.push(...batch);
  return ids;
}

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
