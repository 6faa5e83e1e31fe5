import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { PATIENCE, RETRIES } from "./test/_retries.ts";
import { SELF } from "./test/_self.ts";

const NETWORK = /^(?:https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:DIR|FILE))$/i;

const SHARED = { globalSetup: "test/_run.ts", setupFiles: "test/_place.ts", retry: RETRIES.retry };
// A test that reaches no assertion, such as one that loops over an empty list, fails.
const IN_PROCESS = {
  ...SHARED,
  expect: { requireAssertions: true, ...PATIENCE },
  testTimeout: 120_000,
  // PostgreSQL starts in a hook, once for a run.
  hookTimeout: 240_000,
  // Files of one worker share what they import, which halves the work of a run: no module keeps what a test has changed.
  isolate: false,
  // Most files wait for processes and sockets longer than they work.
  maxWorkers: 2 * availableParallelism(),
  // Tests make much that lives for a moment. With Node's own 16 MB a sixth of their work is collecting it.
  execArgv: ["--max-semi-space-size=32"],
};
const IN_PAIRS = { ...SHARED, expect: PATIENCE, hookTimeout: 300_000, isolate: false, maxWorkers: 2 };

/** `npm test` runs the project `unit`, and `npm run test:<name>` each of the others. CI runs all of them. */
export default defineConfig({
  test: {
    reporters: RETRIES.reporters,
    bail: RETRIES.bail,
    projects: [
      {
        test: {
          ...IN_PROCESS,
          name: "unit",
          provide: { stores: ["memory"] },
          exclude: [
            ...configDefaults.exclude,
            "test/{browser,faults,package,whole}/**",
            "test/postgres/!(conformance).test.ts",
            "examples/**",
          ],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...IN_PROCESS,
          name: "postgres",
          provide: { stores: ["postgres"] },
          include: [
            "test/postgres/*.test.ts",
            "test/sign-in/linking.test.ts",
            "test/security/registered-first.test.ts",
          ],
          exclude: [...configDefaults.exclude, "test/postgres/conformance.test.ts"],
          sequence: { groupOrder: 2 },
        },
      },
      {
        resolve: { alias: SELF },
        test: {
          ...IN_PAIRS,
          name: "browser",
          include: ["test/browser/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...IN_PAIRS,
          name: "faults",
          include: ["test/faults/*.test.ts"],
          // They wait for disks and servers longer than they work.
          maxWorkers: 3,
          testTimeout: process.env["SVC_FAULTS"] === "full" ? 1_800_000 : 300_000,
          isolate: true,
          sequence: { groupOrder: 4 },
        },
      },
      {
        resolve: { alias: SELF },
        test: {
          ...IN_PAIRS,
          name: "package",
          include: ["test/package/*.test.ts", "examples/vitest/*.test.js"],
          // npm needs it to reach its registry.
          env: Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK.test(name))),
          testTimeout: 120_000,
          sequence: { groupOrder: 5 },
        },
      },
      {
        // Each takes the whole machine.
        test: {
          ...IN_PAIRS,
          name: "whole",
          include: ["test/whole/*.test.ts"],
          maxWorkers: 1,
          testTimeout: 600_000,
          sequence: { groupOrder: 6 },
        },
      },
    ],
  },
});
