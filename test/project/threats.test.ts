import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../_paths.ts";

const page = await readFile(join(ROOT, "docs/threats.md"), "utf8");
const entries = page
  .split(/^### /m)
  .slice(1)
  .map((entry) => {
    const [, tests = ""] = /^Tests: ([^]+?)$(?!\n\S)/m.exec(entry) ?? [];
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, name]) => `test/${name}.test.ts`);
    return { number: entry.slice(0, 3), files };
  });

it("Every threat number in a test's name has an entry in docs/threats.md", async () => {
  const names = (await readdir(join(ROOT, "test"), { recursive: true })).filter((name) => name.endsWith(".test.ts"));
  const texts = await Promise.all(names.map((name) => readFile(join(ROOT, "test", name), "utf8")));
  const used = new Set(texts.flatMap((text) => [...text.matchAll(/["'`](T\d\d): /g)].map(([, number]) => number)));
  expect(used.size).toBeGreaterThan(15);
  expect([...used].filter((number) => !entries.some((entry) => entry.number === number))).toEqual([]);
});

it("Every entry of docs/threats.md has a unique number and names test files that exist", () => {
  expect(entries.length).toBeGreaterThan(35);
  expect(new Set(entries.map(({ number }) => number)).size).toBe(entries.length);
  for (const { number, files } of entries) expect(files, number).not.toEqual([]);
  expect(entries.flatMap(({ files }) => files).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});
