import { defineConfig } from "vitest/config";
import { PATIENCE, RETRIES } from "./test/_retries.ts";
import { SELF } from "./test/_self.ts";

/** The pages and the dashboard in Chromium: `npm run test:browser`. */
export default defineConfig({
  resolve: { alias: SELF },
  test: {
    include: ["test/browser/*.test.ts"],
    globalSetup: "test/_run.ts",
    setupFiles: "test/_place.ts",
    expect: PATIENCE,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    isolate: false,
    maxWorkers: 2,
    ...RETRIES,
  },
});
