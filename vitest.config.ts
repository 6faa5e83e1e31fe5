import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { Order } from "./test/_order.ts";
import { PATIENCE, RETRIES } from "./test/_retries.ts";

export default defineConfig({
  test: {
    // What takes longer has scripts of its own, which CI runs as well.
    exclude: [...configDefaults.exclude, "test/{browser,faults,package}/**", "examples/**"],
    globalSetup: "test/_run.ts",
    setupFiles: "test/_place.ts",
    // A test that reaches no assertion, such as one that loops over an empty list, fails.
    expect: { requireAssertions: true, ...PATIENCE },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Files of one worker share what they import, which halves the work of a run: no module keeps what a test has changed.
    isolate: false,
    // Most files wait for processes and sockets longer than they work.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: Order },
    // Tests make much that lives for a moment. With Node's own 16 MB a sixth of their work is collecting it.
    execArgv: ["--max-semi-space-size=32"],
    ...RETRIES,
  },
});
