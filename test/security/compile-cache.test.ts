import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import module, { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { directory, run, useProcesses } from "../_bin.ts";
import { temporaryDirectory } from "../_files.ts";

const { cacheDirectory } = createRequire(import.meta.url)("../../bin/cache-directory.js") as {
  cacheDirectory(env: Record<string, string>, platform?: string): string | undefined;
};

useProcesses();

it("T43: compiled code is kept in the user's own cache directory, which nobody else can read", () => {
  const HOME = temporaryDirectory();
  expect(cacheDirectory({ HOME }, "linux")).toBe(join(HOME, ".cache/svc"));
  for (const made of [".cache", ".cache/svc"]) expect(statSync(join(HOME, made)).mode & 0o777).toBe(0o700);
  mkdirSync(join(HOME, "Library"));
  expect(cacheDirectory({ HOME }, "darwin")).toBe(join(HOME, "Library/Caches/svc"));
  const XDG_CACHE_HOME = temporaryDirectory();
  expect(cacheDirectory({ HOME, XDG_CACHE_HOME }, "linux")).toBe(join(XDG_CACHE_HOME, "svc"));
  expect(cacheDirectory({ LOCALAPPDATA: "C:\\local" }, "win32")).toBe("C:\\local\\svc\\compiled");
});

it.each([
  { NODE_COMPILE_CACHE: "/elsewhere" },
  { NODE_DISABLE_COMPILE_CACHE: "1" },
  { NODE_DISABLE_COMPILE_CACHE: "" },
])("svc names no directory for compiled code if Node's own variables decide: %j", (env) => {
  const HOME = temporaryDirectory();
  expect(cacheDirectory({ HOME, ...env }, "linux")).toBeUndefined();
  expect(readdirSync(HOME)).toEqual([]);
});

it.each(["", ".cache", ".cache/svc"])("T43: no compiled code is kept if others can write to the home's %j", (place) => {
  const HOME = temporaryDirectory();
  mkdirSync(join(HOME, place), { recursive: true });
  chmodSync(join(HOME, place), 0o777);
  expect(cacheDirectory({ HOME }, "linux")).toBeUndefined();
});

it("T43: no compiled code is kept in a home that has another owner, is not a directory or does not exist", () => {
  const HOME = temporaryDirectory();
  // Root can change the owner; for other users the root directory has another owner.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(HOME, 12_345, 12_345);
  expect(cacheDirectory({ HOME: isRoot ? HOME : "/" }, "linux")).toBeUndefined();
  expect(readdirSync(HOME)).toEqual([]);
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  const absent = join(temporaryDirectory(), "absent");
  for (const home of [file, absent, "/dev/null", "relative", ""]) {
    expect(cacheDirectory({ HOME: home }, "linux")).toBeUndefined();
  }
  expect(cacheDirectory({}, "linux")).toBeUndefined();
});

/** All files below a directory, without their directories. */
function filesIn(place: string): string[] {
  const entries = readdirSync(place, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name));
}

describe.skipIf(!("enableCompileCache" in module))("On a Node that keeps compiled code, the command", () => {
  const NODE_DISABLE_COMPILE_CACHE = undefined;

  it("T43: keeps it for its user alone, and starts with it the next time", async () => {
    const cache = temporaryDirectory();
    const env = { XDG_CACHE_HOME: cache, NODE_DISABLE_COMPILE_CACHE };
    const first = await run(["help", "exit-codes"], { env });
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(statSync(join(cache, "svc")).mode & 0o777).toBe(0o700);
    const kept = filesIn(cache);
    expect(kept.length).toBeGreaterThan(1);
    const written = kept.map((path) => statSync(path).mtimeMs);
    expect(await run(["help", "exit-codes"], { env })).toEqual(first);
    expect(filesIn(cache).map((path) => statSync(path).mtimeMs)).toEqual(written);
  });

  it("T43: keeps nothing where others can write", async () => {
    const cache = temporaryDirectory();
    chmodSync(cache, 0o777);
    const env = { XDG_CACHE_HOME: cache, NODE_DISABLE_COMPILE_CACHE };
    expect(await run(["help", "exit-codes"], { env })).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(cache)).toEqual([]);
  });

  it("keeps it where NODE_COMPILE_CACHE says", async () => {
    const NODE_COMPILE_CACHE = temporaryDirectory();
    const env = { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE };
    expect(await run(["help", "exit-codes"], { env })).toMatchObject({ code: 0, stderr: "" });
    expect(filesIn(NODE_COMPILE_CACHE).length).toBeGreaterThan(1);
    expect(existsSync(join(directory, ".cache"))).toBe(false);
  });

  it("compiles again what is damaged", async () => {
    const cache = temporaryDirectory();
    const env = { XDG_CACHE_HOME: cache, NODE_DISABLE_COMPILE_CACHE };
    const first = await run(["help", "exit-codes"], { env });
    for (const path of filesIn(cache)) writeFileSync(path, "not what V8 wrote");
    expect(await run(["help", "exit-codes"], { env })).toEqual(first);
  });
});

it("a read-only home changes nothing", async () => {
  const env = { XDG_CACHE_HOME: "/proc/self/fd", NODE_DISABLE_COMPILE_CACHE: undefined };
  expect(await run(["help", "exit-codes"], { env })).toMatchObject({ code: 0, stderr: "" });
  expect(existsSync(join(directory, ".cache"))).toBe(false);
});
