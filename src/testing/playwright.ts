/** Fixtures for Playwright: a service for each worker, or one that is running, and sign-ins with the outcome that a test needs. */
import { env } from "node:process";
import { test as base, type TestType } from "@playwright/test";
import { connect, startTestService } from "./index.ts";
import { sharedServer } from "./playwright/shared-server.ts";
import { SignedIn } from "./playwright/signed-in.ts";
import { createSignInAs } from "./playwright/sign-in-as.ts";
import type { Cookies, SvcFixtures, SvcWorker, SvcWorkerFixtures } from "./playwright/fixtures.ts";

export { expect } from "@playwright/test";
export type { SignInAs, SignInAsOptions } from "./playwright/sign-in-as.ts";
export type { StorageState, StorageStateFor } from "./playwright/signed-in.ts";
export type { SvcFixtures, SvcWorkerFixtures } from "./playwright/fixtures.ts";

type Base = typeof base extends TestType<infer Test, infer Worker> ? [Test, Worker] : never;

/** Playwright's `test` with `svc`, `service`, `signInAs` and `storageStateFor`. */
export const test: TestType<Base[0] & SvcFixtures, Base[1] & SvcWorkerFixtures> = base.extend<
  SvcFixtures,
  SvcWorkerFixtures
>({
  serviceOptions: [{}, { scope: "worker", option: true }],
  signInPath: ["/sign-in", { option: true }],

  svcWorker: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads from the pattern what a fixture needs
    async ({}, use) => {
      await use({ shared: sharedServer(env), signedIn: new SignedIn(), cookies: [] });
    },
    { scope: "worker" },
  ],
  service: [
    async ({ svcWorker: { shared }, serviceOptions }, use) => {
      const service = shared ? await connect(shared) : await startTestService(serviceOptions);
      await use(service);
      await service.close();
    },
    { scope: "worker" },
  ],

  svc: [
    async ({ service, svcWorker }, use, { testId, errors }) => {
      const { id, cookies } = await service.control.request("POST /browsers", { body: { label: testId } });
      const svc = service.scoped(`${testId}-${id}`, { browser: id });
      svcWorker.cookies = cookies;
      await use(svc);
      svcWorker.cookies = [];
      try {
        // A test that has failed reports its own reason.
        if (errors.length === 0) await svc.scenarios.assertMet();
      } finally {
        await (svcWorker.shared ? svc.scenarios.clear() : svc.reset());
        await svc.close();
      }
    },
    { auto: true },
  ],

  // Every context has the cookies by which scenarios know its test, also those that a test creates itself.
  browser: [
    async ({ browser, svcWorker }, use) => {
      const newContext = browser.newContext.bind(browser);
      browser.newContext = async (options) => withCookies(await newContext(options), svcWorker);
      await use(browser);
    },
    { scope: "worker" },
  ],
  context: async ({ context, svcWorker }, use) => use(await withCookies(context, svcWorker)),

  signInAs: async ({ svc, signInPath }, use) => use(createSignInAs(svc, signInPath)),
  storageStateFor: async ({ svc, browser, baseURL, signInAs, svcWorker }, use) =>
    use((account, options = {}) =>
      svcWorker.signedIn.storageState({ svc, browser, baseURL, signInAs }, account, options),
    ),
});

async function withCookies<Context extends { addCookies(cookies: Cookies): Promise<void> }>(
  context: Context,
  { cookies }: SvcWorker,
): Promise<Context> {
  if (cookies.length > 0) await context.addCookies(cookies);
  return context;
}
