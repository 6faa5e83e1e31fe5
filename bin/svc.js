#!/usr/bin/env node
// No module, see build-cli.js: that alone saves some of what a command costs.
// Node 22 and later keep what they have compiled.
require("node:module").enableCompileCache?.();

/** @returns {{ run(): Promise<void> }} */
function load() {
  try {
    return require("../dist/cli/main.cjs");
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    process.stderr.write("✗ svc is not built yet. Run: npm run build\n");
    return process.exit(1);
  }
}

void load().run();
