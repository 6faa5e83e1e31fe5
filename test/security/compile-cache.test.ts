import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../_files.ts";

const { cacheDirectory } = createRequire(import.meta.url)("../../bin/compile-cache.js") as {
  cacheDirectory(env: Record<string, string>, platform?: string): string | undefined;
};

it("T43: what Node compiles is kept in the user's own directory for caches, which others can't read", () => {
  const HOME = temporaryDirectory();
  expect(cacheDirectory({ HOME }, "linux")).toBe(join(HOME, ".cache/svc"));
  expect(statSync(join(HOME, ".cache/svc")).mode & 0o777).toBe(0o700);
  expect(cacheDirectory({ HOME }, "darwin")).toBe(join(HOME, "Library/Caches/svc"));
  const XDG_CACHE_HOME = temporaryDirectory();
  expect(cacheDirectory({ HOME, XDG_CACHE_HOME }, "linux")).toBe(join(XDG_CACHE_HOME, "svc"));
  expect(cacheDirectory({ LOCALAPPDATA: "/local" }, "win32")).toBe("/local/svc/compiled");
});

it.each(["", ".cache", ".cache/svc"])("T43: nothing is kept where others can write into the home's %j", (place) => {
  const HOME = temporaryDirectory();
  mkdirSync(join(HOME, place), { recursive: true });
  chmodSync(join(HOME, place), 0o777);
  expect(cacheDirectory({ HOME }, "linux")).toBeUndefined();
});

it("T43: nothing is made in a home that is another user's, is no directory, or is not there", () => {
  const HOME = temporaryDirectory();
  // Root can give it away; for any other user the root directory is another's.
  if (process.getuid?.() === 0) chownSync(HOME, 12_345, 12_345);
  expect(cacheDirectory({ HOME: process.getuid?.() === 0 ? HOME : "/" }, "linux")).toBeUndefined();
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  const absent = join(temporaryDirectory(), "absent");
  for (const home of [file, absent, "/dev/null", "relative", ""]) {
    expect(cacheDirectory({ HOME: home }, "linux")).toBeUndefined();
  }
  expect(cacheDirectory({}, "linux")).toBeUndefined();
  expect(existsSync(absent)).toBe(false);
});
