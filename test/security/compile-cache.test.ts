import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { directory, run, useProcesses } from "../_bin.ts";
import { temporaryDirectory } from "../_files.ts";

const { cacheDirectory } = createRequire(import.meta.url)("../../bin/compile-cache.js") as {
  cacheDirectory(env: Record<string, string>, platform?: string): string | undefined;
};

useProcesses();

it("T43: compiled code is kept in the user's own cache directory", () => {
  const HOME = temporaryDirectory();
  expect(cacheDirectory({ HOME }, "linux")).toBe(join(HOME, ".cache/svc"));
  expect(cacheDirectory({ HOME }, "darwin")).toBe(join(HOME, "Library/Caches/svc"));
  const XDG_CACHE_HOME = temporaryDirectory();
  expect(cacheDirectory({ HOME, XDG_CACHE_HOME }, "linux")).toBe(join(XDG_CACHE_HOME, "svc"));
  expect(cacheDirectory({ LOCALAPPDATA: "C:\\local" }, "win32")).toBe("C:\\local\\svc\\compiled");
  expect(cacheDirectory({ HOME, NODE_DISABLE_COMPILE_CACHE: "1" }, "linux")).toBeUndefined();
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
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  const absent = join(temporaryDirectory(), "absent");
  for (const home of [file, absent, "/dev/null", "relative", ""]) {
    expect(cacheDirectory({ HOME: home }, "linux")).toBeUndefined();
  }
  expect(cacheDirectory({}, "linux")).toBeUndefined();
});

it("T43: compiled code is accessible to its user only, and speeds up the next start", async () => {
  const cache = temporaryDirectory();
  const env = { XDG_CACHE_HOME: cache, NODE_DISABLE_COMPILE_CACHE: "" };
  const first = await run(["help", "exit-codes"], { env });
  expect(first).toMatchObject({ code: 0, stderr: "" });
  const [engine = ""] = readdirSync(join(cache, "svc"));
  const kept = join(cache, "svc", engine, "help");
  const names = readdirSync(kept);
  expect(names.length).toBeGreaterThan(1);
  expect(statSync(kept).mode & 0o777).toBe(0o700);
  for (const name of names) expect(statSync(join(kept, name)).mode & 0o777).toBe(0o600);
  const written = names.map((name) => statSync(join(kept, name)).mtimeMs);
  expect(await run(["help", "exit-codes"], { env })).toEqual(first);
  expect(readdirSync(kept).map((name) => statSync(join(kept, name)).mtimeMs)).toEqual(written);
});

it("compiled code that is damaged or of another build of Node.js is compiled again", async () => {
  const cache = temporaryDirectory();
  const env = { XDG_CACHE_HOME: cache, NODE_DISABLE_COMPILE_CACHE: "" };
  const first = await run(["help", "exit-codes"], { env });
  const [engine = ""] = readdirSync(join(cache, "svc"));
  const kept = join(cache, "svc", engine, "help");
  for (const name of readdirSync(kept)) writeFileSync(join(kept, name), "not what V8 wrote");
  expect(await run(["help", "exit-codes"], { env })).toEqual(first);
  for (const name of readdirSync(kept)) expect(statSync(join(kept, name)).size, name).toBeGreaterThan(1_000);
});

it("compiled code of versions that are no longer used is removed after a month", async () => {
  const cache = temporaryDirectory();
  const env = { XDG_CACHE_HOME: cache, NODE_DISABLE_COMPILE_CACHE: "" };
  const place = (name: string, days: number): string => {
    const path = join(cache, "svc/11.3.244.8-node.1-x64/serve", name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, "");
    const time = Date.now() / 1000 - days * 24 * 3600;
    utimesSync(path, time, time);
    return path;
  };
  const old = [place("start-DCj38FbE.cjs", 31), place("start-DCj38FbE.cjs.1234", 31)];
  const kept = [place("start-DWGfExyx.cjs", 29), place("notes.txt", 31)];
  expect(await run(["help", "exit-codes"], { env })).toMatchObject({ code: 0, stderr: "" });
  expect(old.filter((path) => existsSync(path))).toEqual([]);
  expect(kept.filter((path) => !existsSync(path))).toEqual([]);
});

it("a read-only home changes nothing", async () => {
  const env = { XDG_CACHE_HOME: "/proc/self/fd", NODE_DISABLE_COMPILE_CACHE: "" };
  expect(await run(["help", "exit-codes"], { env })).toMatchObject({ code: 0, stderr: "" });
  expect(existsSync(join(directory, ".cache"))).toBe(false);
});
