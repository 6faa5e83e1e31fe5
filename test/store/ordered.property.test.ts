import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Ordered } from "../../src/server/store/json/document/ordered.ts";

interface Row {
  readonly id: string;
  readonly time: string;
}

type Step =
  | { readonly kind: "put"; readonly id: number; readonly time: number }
  | { readonly kind: "delete"; readonly id: number }
  | { readonly kind: "read"; readonly after: number | undefined; readonly limit: number | undefined };

const id = fc.nat({ max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("put" as const), id, time: fc.nat({ max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), id }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("read" as const),
      after: fc.option(id, { nil: undefined }),
      limit: fc.option(fc.nat({ max: 12 }), { nil: undefined }),
    }),
  },
);

/** The same, by sorting all rows each time. */
function naive(rows: Iterable<Row>, after: Row | undefined, limit: number | undefined): Row[] {
  const sorted = [...rows].toSorted((a, b) => b.time.localeCompare(a.time) || a.id.localeCompare(b.id));
  const start = after === undefined ? 0 : sorted.indexOf(after) + 1;
  return sorted.slice(start, limit === undefined ? undefined : start + limit);
}

it("Rows added, replaced and removed in any order are read newest first, ties by id, in pages", () => {
  fc.assert(
    fc.property(fc.array(step, { size: "max", maxLength: 600 }), (steps) => {
      const table = new Map<string, Row>();
      const ordered = new Ordered<Row>((row) => row.time);
      for (const now of steps) {
        if (now.kind === "read") {
          const after = now.after === undefined ? undefined : table.get(String(now.after));
          expect([...ordered.newestFirst(after)].slice(0, now.limit)).toEqual(naive(table.values(), after, now.limit));
          continue;
        }
        const key = String(now.id);
        const before = table.get(key);
        const row = now.kind === "put" ? { id: key, time: String(now.time) } : undefined;
        if (row) table.set(key, row);
        else table.delete(key);
        if (before && row) ordered.replace(before, row);
        else if (before) ordered.remove(before);
        else if (row) ordered.add(row);
      }
      expect([...ordered.newestFirst()]).toEqual(naive(table.values(), undefined, undefined));
    }),
    { numRuns: 200 },
  );
});

it("A page continues after the previous one even if its last row was replaced or removed", () => {
  const ordered = new Ordered<Row>((row) => row.time);
  const rows = ["a", "b", "c", "d"].map((key) => ({ id: key, time: "1" }));
  for (const row of rows) ordered.add(row);
  ordered.remove(rows[1]!);
  expect([...ordered.newestFirst(rows[1])]).toEqual([rows[2], rows[3]]);
  const again = { id: "b", time: "1" };
  ordered.add(again);
  expect([...ordered.newestFirst(rows[1])]).toEqual([rows[2], rows[3]]);
  expect([...ordered.newestFirst(again)]).toEqual([rows[2], rows[3]]);
  expect([...ordered.newestFirst(rows[0])].slice(0, 2)).toEqual([again, rows[2]]);
});
