import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, "test/faults/**"],
    globalSetup: "test/_run.ts",
    // Most files wait for processes, sockets and the browser longer than they work.
    maxWorkers: 2 * availableParallelism(),
  },
});
