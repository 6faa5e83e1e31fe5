import { defineConfig } from "vitest/config";

/** What is published, installed and compiled as its users do: `npm run test:package`. */
export default defineConfig({
  test: {
    include: ["test/package/*.test.ts", "examples/vitest/*.test.js"],
    globalSetup: "test/_run.ts",
    testTimeout: 120_000,
    hookTimeout: 300_000,
    isolate: false,
    retry: process.env["CI"] ? 1 : 0,
  },
});
