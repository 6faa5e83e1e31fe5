import { readFile, readdir } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "oxc-parser";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What the package exports, and what its command runs. */
const FACES = /^src\/(?:client\/(?:index|verify|sign-in|middleware)|server\/index|testing\/.*|cli\/main)\.ts$/;
/** The contract's tables, such as `PROVIDERS`, say how things are called. */
const TABLES = /^src\/wire\//;
const OF_A_TABLE = /^[A-Z][A-Z_]+$/;

const REASON = /^\/\/ Below the faces: .+\.\n/;

it("A test that imports what is below the faces says why at its top", async () => {
  const files = (await readdir(join(ROOT, "test"), { recursive: true })).filter((file) => file.endsWith(".ts"));
  const silent = await Promise.all(
    files.toSorted().map(async (name) => {
      const file = `test/${name}`;
      const source = await readFile(join(ROOT, file), "utf8");
      return REASON.test(source) || !(await reachesBelow(file, source)) ? [] : [file];
    }),
  );
  expect(silent.flat()).toEqual([]);
});

/** Whether a file imports a value of `src` that is not at a face. */
async function reachesBelow(file: string, source: string): Promise<boolean> {
  const { module } = await parse(file, source);
  const taken = module.staticImports.flatMap(({ moduleRequest, entries }) =>
    entries.flatMap(({ isType, importName }) => (isType ? [] : { from: moduleRequest.value, name: importName.name })),
  );
  const loaded = module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
    from: source.slice(start + 1, end - 1),
    name: null,
  }));
  return [...taken, ...loaded].some(({ from, name }) => {
    const module_ = normalize(join(dirname(file), from));
    if (!from.startsWith(".") || !module_.startsWith("src/") || FACES.test(module_)) return false;
    return !(TABLES.test(module_) && OF_A_TABLE.test(name ?? ""));
  });
}
