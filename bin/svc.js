#!/usr/bin/env node
// No module, see build-cli.js: that alone saves some of what a command costs.
const { join } = require("node:path");

/** @returns {{ run(): Promise<void> }} */
function main() {
  // Node maps the lines of files alone that it loads itself.
  if (process.sourceMapsEnabled) return require("../dist/cli/main.cjs");
  const { cacheDirectory, loaderOf } = require("./compile-cache.js");
  // eslint-disable-next-line node/no-process-env
  const directory = cacheDirectory(process.env);
  // Each command runs other functions of the parts that it shares with others.
  const [, , word = ""] = process.argv;
  const command = /^[a-z][a-z-]{1,11}$/.test(word) ? word : "other";
  const cache = directory && join(directory, `${process.versions.v8}-${process.arch}`, command);
  return loaderOf(join(__dirname, "../dist/cli"), cache, directory)("main.cjs");
}

try {
  void main().run();
} catch (error) {
  if (error.code !== "ENOENT" && error.code !== "MODULE_NOT_FOUND") throw error;
  process.stderr.write("✗ svc is not built yet. Run: npm run build\n");
  process.exitCode = 1;
}
