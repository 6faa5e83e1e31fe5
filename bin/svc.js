#!/usr/bin/env node
import module from "node:module";

// Node 22 and later keep what they have compiled.
module.enableCompileCache?.();
const { run } = await import("../dist/cli.js");
await run();
