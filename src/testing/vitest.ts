/** Fixtures for Vitest: a service for each worker, reset after each test. */
import { beforeAll, test as base, type TestAPI } from "vitest";
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
  /**
   * The same service for one test. Afterwards it is reset and closed to what the test left running, and the test fails if one
   * of its scenarios was never met.
   */
  svc: TestService;
}

/** A busy machine takes longer than the time that Vitest gives a hook. */
const START_MS = 60_000;

let isDemoOnly = true;

function testWith(options: TestServiceOptions, isWanted: () => boolean): TestAPI<Fixtures> {
  let started: Promise<TestService> | undefined;
  let tests = 0;
  const start = (): Promise<TestService> => (started ??= createTestService(options));
  // A test's own time is for the test.
  beforeAll(async () => {
    if (isWanted()) await start();
  }, START_MS);
  return base.extend<Fixtures>({
    service: [
      // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern what a fixture needs
      async ({}, use) => {
        const service = await start();
        await use(service);
        started = undefined;
        await service.close();
      },
      { scope: "worker" },
    ],
    svc: async ({ service, task }, use) => {
      const svc = service.scoped(`${task.id}-${++tests}`);
      await use(svc);
      try {
        // A test that has failed reports its own reason.
        if (task.result?.state !== "fail") await svc.scenarios.assertMet();
      } finally {
        // A test that timed out goes on beside the next one.
        await svc.close();
        await service.reset();
      }
    },
  });
}

/** Vitest's `test` with `svc`. @param options such as a seed of your own */
export function createTest(options: TestServiceOptions = {}): TestAPI<Fixtures> {
  isDemoOnly = false;
  return testWith(options, () => true);
}

/** Vitest's `test` with `svc`, which starts from the demo's users. */
export const test: TestAPI<Fixtures> = testWith({}, () => isDemoOnly);
