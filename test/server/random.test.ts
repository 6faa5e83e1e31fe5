import { expect, it } from "vitest";
import { randomBytes } from "../../src/server/random.ts";

it("random bytes are as many as asked for and never given twice, over the ends of what is read in advance", () => {
  const sizes = Array.from({ length: 2_000 }, (_, n) => 12 + (n % 3) * 10);
  const given = sizes.map((size) => randomBytes(size));
  expect(given.map(({ length }) => length)).toEqual(sizes);
  expect(new Set(given.map((bytes) => bytes.subarray(0, 12).toString("hex"))).size).toBe(sizes.length);
});

it("random bytes that were given stay as they are", () => {
  const first = randomBytes(32);
  const copy = Buffer.from(first);
  for (let n = 0; n < 1_000; n++) randomBytes(32);
  expect(first.equals(copy)).toBe(true);
});

it("more random bytes than are read in advance can be had", () => {
  expect(randomBytes(10_000)).toHaveLength(10_000);
});
