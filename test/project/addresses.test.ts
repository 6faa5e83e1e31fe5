// Below the faces: the one function that parses an address, after 300,000 calls.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { urlFrom } from "../../src/http/address.ts";
import { ROOT } from "../_paths.ts";

it("A host beyond ASCII stays an address, however often addresses were read before", () => {
  const isAddress = (text: string): boolean => urlFrom(text) !== undefined;
  for (let n = 0; n < 300_000; n++) isAddress(`http://a.example/${n % 7}`);
  expect(Array.from({ length: 100 }, () => isAddress("http://müller.example/"))).not.toContain(false);
});

it("No file asks URL.canParse, whose optimized form in Node 20 refuses hosts in Latin-1", async () => {
  const files = (await readdir(join(ROOT, "src"), { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const texts = await Promise.all(files.map((name) => readFile(join(ROOT, "src", name), "utf8")));
  expect(files.filter((_, n) => texts[n]!.includes("URL.canParse("))).toEqual([]);
  expect(files.length).toBeGreaterThan(100);
});
