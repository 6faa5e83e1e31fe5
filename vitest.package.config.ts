import { defineConfig } from "vitest/config";
import { PATIENCE, RETRIES } from "./test/_retries.ts";
import { SELF } from "./test/_self.ts";

const NETWORK = /^(?:https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:DIR|FILE))$/i;

/** What is published, installed and compiled as its users do: `npm run test:package`. */
export default defineConfig({
  resolve: { alias: SELF },
  test: {
    include: ["test/package/*.test.ts", "examples/vitest/*.test.js"],
    globalSetup: "test/_run.ts",
    setupFiles: "test/_place.ts",
    // npm needs it to reach its registry.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK.test(name))),
    expect: PATIENCE,
    testTimeout: 120_000,
    hookTimeout: 300_000,
    isolate: false,
    maxWorkers: 2,
    ...RETRIES,
  },
});
