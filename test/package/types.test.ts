import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const root = new URL("../..", import.meta.url);

/** What a built file of types imports, and what that imports. */
async function packagesOf(file: URL, seen = new Set<string>()): Promise<string[]> {
  if (seen.has(file.href)) return [];
  seen.add(file.href);
  const source = await readFile(file, "utf8");
  const found: string[] = [];
  for (const [, specifier = ""] of source.matchAll(/\b(?:from |import ?\(?)"([^"]+)"/g)) {
    const types = specifier.replace(/(?:\.d)?\.[jt]s$/, ".d.ts");
    found.push(...(specifier.startsWith(".") ? await packagesOf(new URL(types, file), seen) : [specifier]));
  }
  return found;
}

it("The published types need no package but a test runner's, so that a program's compiler reads none", async () => {
  const { exports } = JSON.parse(await readFile(new URL("package.json", root), "utf8")) as {
    exports: Record<string, { types?: string }>;
  };
  const entries = Object.entries(exports).flatMap(([name, { types }]) =>
    types === undefined ? [] : [{ name, types }],
  );
  const packages = entries.map(async ({ name, types }) => {
    const all = await packagesOf(new URL(types, root));
    return [name, [...new Set(all.filter((specifier) => !specifier.startsWith("node:")))]] as const;
  });
  expect(Object.fromEntries(await Promise.all(packages))).toEqual({
    ".": [],
    "./verify": [],
    "./sign-in": [],
    "./middleware": [],
    "./server": [],
    "./testing": [],
    "./testing/vitest": ["vitest"],
    "./testing/playwright": ["@playwright/test"],
  });
});
