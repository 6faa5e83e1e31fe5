// Below the faces: a pure rule with thousands of rows.
import { expect, it } from "vitest";
import { randomBytes } from "../../src/server/random.ts";

it("Random bytes have the requested length and never repeat across refills of the buffer", () => {
  const sizes = Array.from({ length: 2_000 }, (_, n) => 12 + (n % 3) * 10);
  const given = sizes.map((size) => randomBytes(size));
  expect(given.map(({ length }) => length)).toEqual(sizes);
  expect(new Set(given.map((bytes) => bytes.subarray(0, 12).toString("hex"))).size).toBe(sizes.length);
});

it("Random bytes do not change after they were returned", () => {
  const first = randomBytes(32);
  const copy = Buffer.from(first);
  for (let n = 0; n < 1_000; n++) randomBytes(32);
  expect(first.equals(copy)).toBe(true);
});

it("Random bytes can exceed the size of the buffer", () => {
  expect(randomBytes(10_000)).toHaveLength(10_000);
});
