#!/usr/bin/env node
// No module, see build-cli.js: that alone saves some of what a command costs.
if (Number.parseInt(process.versions.node, 10) >= 22) require("./compile-cache.js").keepCompiled();

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
