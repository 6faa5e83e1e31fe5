import type { Client, ClientOptions } from "../client/index.ts";
import type { ControlClient } from "../control-client/index.ts";
import type { AnswerOf, BodyOf } from "../wire/control/types.ts";
import type { Application } from "./application.ts";
import type { TestClock } from "./clock.ts";
import type { TestFlows } from "./flows.ts";
import type { TestInstances, TestSessions, TestSnapshots, TestTokens, TestUsers } from "./stored.ts";
import type { NewScenario, TestScenarios } from "./scenarios.ts";
import type { SignedInAgent, SignInToOptions } from "./signed-in.ts";

/** `redirectUri` is where the application wants its user back, as in `signInUrl` and `beginSignIn`. */
export interface SignInOptions extends Omit<NonNullable<BodyOf<"POST /sign-ins">>, "redirect_uri"> {
  readonly redirectUri?: string | undefined;
}

export type SignInResult = AnswerOf<"POST /sign-ins">;

/** A whole service for a test. */
export interface TestService extends AsyncDisposable {
  /** The front door: {base_url} of the first instance. */
  readonly url: string;
  /** `ctl_…`: with `url`, all that another process needs to `connect`. */
  readonly controlKey: string;
  /** With their keys; the first one is the default. */
  readonly instances: TestInstances;
  /** The typed client of the control API under `/__svc/v1`, for everything that has no method here. */
  readonly control: ControlClient;
  /**
   * The typed client of an instance.
   * @param instance its subdomain or id; default: the first one
   * @throws {ControlError} `instance_not_found` @throws {ServeError} for options in place of the instance
   */
  client(instance?: string, options?: Partial<ClientOptions>): Client;
  /**
   * Reaches the service, even without a port. In process it follows redirects within the service, and returns the one that
   * leaves it.
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Runs a whole sign-in without a browser: `const { token } = await svc.signIn({ as: "ada" })`.
   * @param options `as`: the id or e-mail address of an account, by default the first at the provider; `provider`: by default
   * google; `outcome`: how it ends, by default as a scenario says, otherwise `success`; `redirectUri`: of the application, by default svc's own page;
   * `profile`: other fields of the provider's profile, of any type, where `undefined` leaves one out
   * @returns `token`, or `error` and `error_description`; with its `flow_id`, `flows.get` says why in words
   */
  signIn(options?: SignInOptions): Promise<SignInResult>;
  /**
   * Signs in to an application, as a browser would: `const agent = await svc.signInTo(app, { as: "ada" })`, then
   * `agent.fetch("/me")`, or another caller with `agent.headers`.
   * @param app its address, a fetch-style handler or an object with one, or a listener or server of `node:http`
   * @param options as for `signIn`, and `path`: where the application begins a sign-in, by default `/sign-in`
   * @throws {ControlError} if the application began no sign-in with this service @throws {ServeError} for what is no application
   */
  signInTo(app: Application, options?: SignInToOptions): Promise<SignedInAgent>;
  readonly scenarios: TestScenarios;
  readonly clock: TestClock;
  readonly tokens: TestTokens;
  readonly users: TestUsers;
  readonly sessions: TestSessions;
  readonly snapshots: TestSnapshots;
  readonly flows: TestFlows;
  /**
   * Returns to the seed: same ids and keys, no scenarios, real time. With an instance of its own, removes that one's users,
   * sessions and sign-ins, and this object's scenarios. `flows` forgets the sign-ins so far; the dashboard and `svc logs`
   * keep them.
   */
  reset(): Promise<void>;
  /** Ends the service, or the connection to one that was running. Later calls throw a `ControlError` with code `closed`. */
  close(): Promise<void>;
  /**
   * The same service for one test of several: its scenarios have their own label, and may be narrowed to a browser. `close`
   * ends it alone, and what the test left running can't reach the service any more.
   */
  scoped(label: string, match?: NonNullable<NewScenario["match"]>): TestService;
}
