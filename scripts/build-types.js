// Of the declarations, keeps those that a program can reach from the package's entries: the others are the server's own.
import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const { exports } = JSON.parse(await readFile("package.json", "utf8"));
const reached = new Set();
await Promise.all(Object.values(exports).map(async ({ types }) => types && reach(resolve(types))));
for (const entry of await readdir("dist/types", { recursive: true, withFileTypes: true })) {
  const path = resolve(entry.parentPath, entry.name);
  if (entry.isFile() && !reached.has(path)) await rm(path);
}

async function reach(path) {
  if (reached.has(path)) return;
  reached.add(path);
  const text = await readFile(path, "utf8");
  const imported = [...text.matchAll(/(?:from |import\()"(\.[^"]+)"/g)];
  await Promise.all(imported.map(([, specifier]) => reach(join(dirname(path), specifier.replace(/\.ts$/, ".d.ts")))));
}
