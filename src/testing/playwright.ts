/** Fixtures for Playwright: a service for each worker, or one that is running, and sign-ins with the outcome that a test needs. */
import type { AnswerOf } from "../wire/control/types.ts";
import { type TestService, type TestServiceOptions, connect, startTestService } from "./index.ts";
import { startApplication, type WorkerApplication } from "./playwright-application.ts";
import { type SignInAs, SignedIn, type StorageStateFor, sharedServer, createSignInAs } from "./playwright-sign-in.ts";
import { env } from "node:process";
import { test as base, type TestType } from "@playwright/test";

type Cookies = AnswerOf<"POST /browsers">["cookies"];

export interface SvcFixtures {
  /**
   * The worker's service for one test. Its scenarios are met by this test's browser contexts alone. Afterwards it is reset
   * (on a shared server, only its scenarios are removed), and the test fails if a scenario was never met.
   */
  svc: TestService;
  /** The path at which the application begins a sign-in. Default `/sign-in`. */
  signInPath: string;
  signInAs: SignInAs;
  storageStateFor: StorageStateFor;
}

interface SvcWorker {
  /** Of the server that other workers use too; undefined: the worker starts its own. */
  readonly shared: ReturnType<typeof sharedServer>;
  /** Who is signed in already. */
  readonly signedIn: SignedIn;
  /** By which scenarios know the browser contexts of the test that is running. */
  cookies: Cookies;
}

export interface SvcWorkerFixtures {
  /** What a service is started with, such as a seed of your own. */
  serviceOptions: TestServiceOptions;
  /**
   * Starts an application for each worker, beside a service of the worker's own, in place of Playwright's `webServer`: then
   * `baseURL` is that application, and a test may move the clock or change users while other workers run.
   */
  application: WorkerApplication | undefined;
  /** Where the worker's application is, such as `http://localhost:40123`. Undefined without `application`. */
  applicationOrigin: string | undefined;
  /**
   * The worker's own service. With `SVC_CONTROL_URL` and `SVC_CONTROL_KEY` in the environment, and without `application`,
   * that server, shared by all workers.
   */
  service: TestService;
  /** Internal: what the worker keeps. */
  svcWorker: SvcWorker;
}

export { expect } from "@playwright/test";
export type { WorkerApplication } from "./playwright-application.ts";
export type { SignInAs, SignInAsOptions, StorageState, StorageStateFor } from "./playwright-sign-in.ts";

type Base = typeof base extends TestType<infer Test, infer Worker> ? [Test, Worker] : never;

/** Playwright's `test` with `svc`, `service`, `signInAs` and `storageStateFor`. */
export const test: TestType<Base[0] & SvcFixtures, Base[1] & SvcWorkerFixtures> = base.extend<
  SvcFixtures,
  SvcWorkerFixtures
>({
  serviceOptions: [{}, { scope: "worker", option: true }],
  application: [undefined, { scope: "worker", option: true }],
  applicationOrigin: [
    async ({ application, service }, use) => {
      if (!application) return use(undefined);
      const { origin, stop } = await startApplication(application, service, env);
      await use(origin);
      await stop();
    },
    // The start has a limit of its own, and says what the application printed.
    { scope: "worker", timeout: 0 },
  ],
  baseURL: async ({ baseURL, applicationOrigin }, use) => use(applicationOrigin ?? baseURL),
  signInPath: ["/sign-in", { option: true }],

  svcWorker: [
    async ({ application }, use) => {
      await use({ shared: application ? undefined : sharedServer(env), signedIn: new SignedIn(), cookies: [] });
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
