import { appendFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { circles, forbiddenImports, PACKAGES, roomOf, ROOMS } from "../_arrows.ts";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

it("Source files import only what the table of rooms and packages allows", async () => {
  expect(await forbiddenImports(SRC)).toEqual([]);
});

it("Source files import each other in no circle, not even types", { timeout: 120_000 }, async () => {
  expect(await circles(SRC)).toEqual([]);
});

it("The check finds a circle of types, through folders and by what is passed on, and takes no import() for one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "svc-planted-"));
  const files: [file: string, code: string][] = [
    ["a.ts", `import type { x } from "./b/index.ts";`],
    ["b/index.ts", `export type { x } from "./c.ts";`],
    ["b/c.ts", `import { type x } from "../a.ts";`],
    ["d.ts", `import { x } from "./a.ts";\nexport const load = () => import("./e.ts");`],
    ["e.ts", `import { x } from "./d.ts";`],
  ];
  try {
    await mkdir(join(folder, "b"));
    for (const [file, code] of files) await appendFile(join(folder, file), `${code}\n`);
    expect(await circles(folder)).toEqual([["a.ts", "b/c.ts", "b/index.ts"]]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("The check finds every forbidden import between two rooms", { timeout: 60_000 }, async () => {
  const rooms = Object.keys(ROOMS);
  const pairs = rooms.flatMap((from) =>
    rooms.filter((to) => to !== from && !ROOMS[from]!.includes(to)).map((to) => [placeIn(from), placeIn(to)] as const),
  );
  const planted = pairs.map(
    ([from, to], n) =>
      [from, `import ${n % 2 === 0 ? "" : "type "}{ x as x${n} } from "${pathTo(from, to)}";`] as const,
  );
  expect(await missed(planted)).toEqual([]);
  expect(planted.length).toBeGreaterThan(200);
});

it("The check finds every package imported outside its place", async () => {
  const planted = Object.entries(PACKAGES).flatMap(([name, places]) =>
    Object.keys(ROOMS)
      .map(placeIn)
      .filter((file) => !places.some((place) => file === place || file.startsWith(`${place}/`)))
      .map(
        (file) => [file, `export const x${name.replaceAll(/\W/g, "_")} = (): unknown => import("${name}");`] as const,
      ),
  );
  expect(await missed(planted)).toEqual([]);
});

it.each([
  ["server/store/file/planted.ts", `export { x } from "../postgres/postgres-store.ts";`],
  ["server/store/planted.ts", `export * from "../http/listener.ts";`],
  ["server/http/routes/planted.ts", `import type { x } from "../../store/memory/memory-store.ts";`],
  ["server/http/routes/planted.ts", `export const x = () => import("../../../cli/main.ts");`],
  ["wire/planted.ts", `export { hash } from "node:crypto";`],
  ["client/planted.ts", `export { x } from "a-package-of-no-place";`],
  ["client/planted.ts", `export const x = process.getBuiltinModule("fs");`],
  ["cli/list/planted.ts", `export const x = createRequire(import.meta.url)("undici");`],
  ["cli/list/planted.ts", `const require = createRequire(import.meta.url);\nexport const x = require("undici");`],
  ["cli/commands/planted.ts", `export const x = new Worker(new URL("../../server/start.ts", import.meta.url));`],
  ["cli/list/planted.ts", `export const x = import.meta.resolve("../search/read.ts");`],
  ["cli/commands/users/planted.ts", `export { x } from "../tokens/why.ts";`],
  ["cli/commands/logs/planted.ts", `export const x = () => import("../dev/keys.ts");`],
])("The check finds the import planted in %s: %s", async (file, code) => {
  expect(await missed([[file, code]])).toEqual([]);
});

/** Plants lines of code in an empty tree and returns those that were not found. */
async function missed(planted: readonly (readonly [file: string, code: string])[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "svc-planted-"));
  try {
    for (const [file, code] of planted) {
      await mkdir(join(folder, dirname(file)), { recursive: true });
      await appendFile(join(folder, file), `${code}\n`);
    }
    const found = new Set(await forbiddenImports(folder));
    return planted
      .filter(([file, code]) => !found.has(`${file} imports ${/"([^"]+)"/.exec(code)![1]}`))
      .map(([file, code]) => `${file}: ${code}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A file of a room: the room itself where it is one. */
function placeIn(room: string): string {
  const file = room.endsWith(".ts") ? room : `${room}/planted.ts`;
  if (roomOf(file) !== room) throw new Error(`${file} is in ${roomOf(file)}`);
  return file;
}

function pathTo(from: string, to: string): string {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}
