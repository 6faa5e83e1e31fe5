import type { AnswerOf } from "../../wire/control/types.ts";
import type { TestService, TestServiceOptions } from "../index.ts";
import type { SignInAs } from "./sign-in-as.ts";
import type { SignedIn, StorageStateFor } from "./signed-in.ts";

export type Cookies = AnswerOf<"POST /browsers">["cookies"];

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

export interface SvcWorker {
  /** Of the server that other workers use too; undefined: the worker starts its own. */
  readonly shared: { readonly url: string; readonly controlKey: string } | undefined;
  /** Who is signed in already. */
  readonly signedIn: SignedIn;
  /** By which scenarios know the browser contexts of the test that is running. */
  cookies: Cookies;
}

export interface SvcWorkerFixtures {
  /** What a service is started with, such as a seed of your own. */
  serviceOptions: TestServiceOptions;
  /**
   * The worker's own service, for what lives longer than a test, such as an application. With `SVC_CONTROL_URL` and
   * `SVC_CONTROL_KEY` in the environment, that server, shared by all workers.
   */
  service: TestService;
  /** Internal: what the worker keeps. */
  svcWorker: SvcWorker;
}
