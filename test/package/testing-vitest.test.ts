import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../_files.ts";
import { ROOT } from "../_paths.ts";

interface Report {
  testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
}

const CODE = `
import { beforeAll, expect } from "vitest";
import { createTest, test as plain } from "svc-identity/testing/vitest";

const seed = {
  instances: [{ name: "Acme", subdomain: "acme" }],
  personas: [{ id: "joan", name: "Joan", email: "joan@example.com", google: { sub: "1", email_verified: true } }],
};
let reads = 0;
const now = () => (reads++, new Date());
const test = createTest({ seed, now });
let readsBefore = 0;
beforeAll(() => void (readsBefore = reads));
let over;
let leftover;

test("leaves a user behind", async ({ svc }) => {
  await svc.signIn({ as: "joan" });
  expect(await svc.users.list()).toHaveLength(1);
  await svc.clock.setFixedTime("2030-01-01T00:00:00Z");
});
test("finds none", async ({ svc, service }) => {
  expect(await svc.users.list()).toEqual([]);
  expect(await svc.flows.latest()).toBeUndefined();
  expect(svc.clock.now().getFullYear()).toBeLessThan(2030);
  expect(service.url).toBe(svc.url);
});
test("does not start the service in its own time", async ({ svc }) => {
  expect(readsBefore).toBeGreaterThan(0);
});
test("times out", { timeout: 100 }, async ({ svc }) => {
  leftover = new Promise((resolve) => (over = resolve)).then(() => svc.scenarios.next({ outcome: "access_denied" }));
  await leftover;
});
test("follows one that timed out", async ({ svc }) => {
  over();
  await expect(leftover).rejects.toMatchObject({ code: "closed" });
  expect(await svc.signIn({ as: "joan" })).toHaveProperty("token");
});
test("never meets its scenario", async ({ svc }) => {
  await svc.scenarios.next({ outcome: "access_denied" });
});
test("fails by itself", async ({ svc }) => {
  await svc.scenarios.next({ outcome: "access_denied" });
  expect(1).toBe(2);
});
plain("has the demo", async ({ svc }) => {
  expect((await svc.signIn({ as: "ada" })).token).toBeDefined();
  expect(await svc.scenarios.list()).toEqual([]);
});
`;

describe("The fixtures for Vitest", () => {
  it("reset after each test, start from a seed, and fail a test whose scenario was never used", async () => {
    const directory = temporaryDirectory();
    await mkdir(join(directory, "node_modules"));
    await symlink(ROOT, join(directory, "node_modules/svc-identity"));
    await symlink(join(ROOT, "node_modules/vitest"), join(directory, "node_modules/vitest"));
    await writeFile(join(directory, "fixtures.test.js"), CODE);
    const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
    const env = { PATH: process.env["PATH"], HOME: directory };
    const run = promisify(execFile)(process.execPath, [vitest, "run", "--reporter=json"], { cwd: directory, env });
    const stdout = await run.then(
      () => expect.fail("it passed"),
      (error: { stdout: string }) => error.stdout,
    );
    const tests = (JSON.parse(stdout) as Report).testResults.flatMap(({ assertionResults }) => assertionResults);
    expect(Object.fromEntries(tests.map(({ title, status }) => [title, status]))).toEqual({
      "leaves a user behind": "passed",
      "finds none": "passed",
      "does not start the service in its own time": "passed",
      "times out": "failed",
      "follows one that timed out": "passed",
      "never meets its scenario": "failed",
      "fails by itself": "failed",
      "has the demo": "passed",
    });
    const messages = (title: string): string[] => tests.find((test) => test.title === title)!.failureMessages;
    // Vitest reports what a fixture throws at its end more than once.
    expect(new Set(messages("never meets its scenario").map((text) => text.split("\n    at ")[0]))).toEqual(
      new Set(["Error: A scenario was never met:\n  access_denied: no sign-in began that it could match"]),
    );
    expect(messages("fails by itself")).toEqual([expect.stringContaining("expected 1 to be 2")]);
  }, 120_000);
});
