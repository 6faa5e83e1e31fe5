#!/usr/bin/env node
import module from "node:module";

// Node 22 and later keep what they have compiled.
module.enableCompileCache?.();
const { run } = await import("../dist/cli.js").catch((error) => {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  process.stderr.write("✗ svc is not built yet. Run: npm run build\n");
  process.exit(1);
});
await run();
