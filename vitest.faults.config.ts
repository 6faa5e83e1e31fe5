import { defineConfig } from "vitest/config";
import { PATIENCE, RETRIES } from "./test/_retries.ts";

/** Faults of the machine under a store: `npm run test:faults`, and with SVC_FAULTS=full at its full length. */
export default defineConfig({
  test: {
    include: ["test/faults/*.test.ts"],
    globalSetup: "test/_run.ts",
    setupFiles: "test/_place.ts",
    expect: PATIENCE,
    testTimeout: process.env["SVC_FAULTS"] === "full" ? 1_800_000 : 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    ...RETRIES,
  },
});
