#!/usr/bin/env node
// CommonJS, as all of the command: see scripts/build.js.
const { enableCompileCache } = require("node:module");
const { cacheDirectory } = require("./cache-directory.js");

// Node.js 22.8 and later.
// eslint-disable-next-line node/no-process-env
const directory = enableCompileCache && cacheDirectory(process.env);
if (directory) enableCompileCache(directory);

try {
  void require("../dist/cli/main.cjs").run();
} catch (error) {
  if (error.code !== "MODULE_NOT_FOUND") throw error;
  process.stderr.write("✗ svc is not built yet. Run: npm run build\n");
  process.exitCode = 1;
}
