import type { Reporter, TestCase } from "vitest/node";
import { Skipped } from "./_machine.ts";

/** Says why a test needed a second try: vitest itself tells only that it did. */
class SecondTries implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== "passed") return;
    for (const { message, stack = message } of errors) console.log(`Second try: ${test.fullName}\n${stack}`);
  }
}

/** For `expect.poll`, which otherwise waits for a second: a busy machine may need longer. */
export const PATIENCE = { poll: { timeout: 30_000 } };

/** A machine that is shared may stop for seconds; a test that fails twice has found something. */
export const RETRIES = {
  retry: process.env["CI"] ? 1 : 0,
  // Where a browser or a database is gone, each test that is left would wait for it.
  bail: process.env["CI"] ? 5 : 0,
  reporters: ["default" as const, new SecondTries(), new Skipped()],
};
