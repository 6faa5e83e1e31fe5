import { defineConfig } from "vitest/config";
import { PATIENCE, RETRIES } from "./test/_retries.ts";

/** What is published, installed and compiled as its users do: `npm run test:package`. */
export default defineConfig({
  test: {
    include: ["test/package/*.test.ts", "examples/vitest/*.test.js"],
    globalSetup: "test/_run.ts",
    expect: PATIENCE,
    testTimeout: 120_000,
    hookTimeout: 300_000,
    isolate: false,
    ...RETRIES,
  },
});
