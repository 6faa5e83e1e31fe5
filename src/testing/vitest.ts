/** Fixtures for Vitest: a service for each worker, reset after each test. */
import { test as base, type TestAPI } from "vitest";
import type { TestService, TestServiceOptions } from "./index.ts";

// Before the service is loaded, which fails in a browser with whatever it misses first.
if (typeof globalThis.process?.versions?.node !== "string")
  throw new Error(
    "svc-identity/testing/vitest needs Node.js, and this test runs in a browser. Sign in by a command of Vitest's browser mode: see docs/testing.md.",
  );
const { createTestService } = await import("./index.ts");

export interface Fixtures {
  /** The worker's service, for anything that lives longer than a test, such as an application. */
  service: TestService;
  /** The same service for one test: reset afterwards, and the test fails if one of its scenarios was never met. */
  svc: TestService;
}

/** Vitest's `test` with `svc`. @param options such as a seed of your own */
export function createTest(options: TestServiceOptions = {}): TestAPI<Fixtures> {
  return base.extend<Fixtures>({
    service: [
      // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern what a fixture needs
      async ({}, use) => {
        const service = await createTestService(options);
        await use(service);
        await service.close();
      },
      { scope: "worker" },
    ],
    svc: async ({ service, task }, use) => {
      await use(service);
      try {
        // A test that has failed reports its own reason.
        if (task.result?.state !== "fail") await service.scenarios.assertMet();
      } finally {
        await service.reset();
      }
    },
  });
}

/** Vitest's `test` with `svc`, which starts from the demo's users. */
export const test: TestAPI<Fixtures> = createTest();
