import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./_paths.ts";

const SOURCES = ["src", "scripts/build.js", "package.json"];
/** What the build writes last. */
const BUILT = "dist/THIRD-PARTY-LICENSES.txt";

/** Builds what runs if a source is newer: tests of the commands would pass or fail for what is no longer there. */
export function buildIfStale(): void {
  const builtAt = statSync(join(ROOT, BUILT), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (SOURCES.some((source) => newest(join(ROOT, source)) > builtAt))
    execFileSync(process.execPath, ["scripts/build.js"], { cwd: ROOT, stdio: "inherit" });
}

/** Of a file, or of everything in a directory. A file that is removed changes its directory. */
function newest(path: string): number {
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  return Math.max(own.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
