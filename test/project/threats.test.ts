import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../_paths.ts";

const page = await readFile(join(ROOT, "docs/threats.md"), "utf8");
const rows = [...page.matchAll(/^\| (T\d\d) \|.*\| ([^|]*) \|$/gm)].map(([, number = "", files = ""]) => ({
  number,
  files: [...files.matchAll(/`([^`]+)`/g)].map(([, name]) => `test/${name}.test.ts`),
}));

it("Every threat number in a test's name has a row in docs/threats.md", async () => {
  const names = (await readdir(join(ROOT, "test"), { recursive: true })).filter((name) => name.endsWith(".test.ts"));
  const texts = await Promise.all(names.map((name) => readFile(join(ROOT, "test", name), "utf8")));
  const used = new Set(texts.flatMap((text) => [...text.matchAll(/["'`](T\d\d): /g)].map(([, number]) => number)));
  expect(used.size).toBeGreaterThan(15);
  expect([...used].filter((number) => !rows.some((row) => row.number === number))).toEqual([]);
});

it("Every row of docs/threats.md has a unique number and names test files that exist", () => {
  expect(new Set(rows.map(({ number }) => number)).size).toBe(rows.length);
  for (const { number, files } of rows) expect(files, number).not.toEqual([]);
  expect(rows.flatMap(({ files }) => files).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});
