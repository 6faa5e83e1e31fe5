import { createClient, type Client, type ClientOptions } from "../client/index.ts";
import { ControlError, createControlClient, type ControlClient } from "../control-client/index.ts";
import { ServeError } from "../server/errors.ts";
import type { AnswerOf, BodyOf } from "../wire/control/types.ts";
import type { Fetch } from "../wire/http/fetch.ts";
import { createClockReading, createTestClock, type TestClock } from "./clock.ts";
import { withEdits, checkOptions } from "./options.ts";
import type { Application, Reach } from "./application.ts";
import type { SignedInAgent, SignInToOptions } from "./signed-in.ts";
import { createTestFlows, type Forgotten, type TestFlows } from "./flows.ts";
import {
  instanceNamed,
  readInstances,
  testInstances,
  type TestInstance,
  type TestInstances,
  createTestSessions,
  createTestSnapshots,
  createTestTokens,
  createTestUsers,
  type TestSessions,
  type TestSnapshots,
  type TestTokens,
  type TestUsers,
} from "./records.ts";
import { createTestScenarios, type NewScenario, type TestScenarios } from "./scenarios.ts";

/** `redirectUri` is where the application wants its user back, as in `signInUrl` and `beginSignIn`. */
export interface SignInOptions extends Omit<NonNullable<BodyOf<"POST /sign-ins">>, "redirect_uri"> {
  readonly redirectUri?: string | undefined;
}
const SIGN_IN_OPTIONS = [
  "provider",
  "as",
  "instance",
  "redirectUri",
  "outcome",
  "browser",
  "profile",
  "omit",
] satisfies (keyof SignInOptions)[];
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

export interface TestServiceParts {
  readonly url: string;
  readonly controlKey: string;
  readonly fetch: typeof globalThis.fetch;
  /** Distinguishes this object's scenarios from others on the same server. */
  readonly label: string;
  /** The id of the only visible instance. */
  readonly only?: string | undefined;
  /** The instances of a service in this process, which need no requests. */
  instances?(): readonly TestInstance[];
  close(): Promise<void>;
}

/** One implementation for a service in this process, on a port, or elsewhere. */
export async function createTestServiceFrom(parts: TestServiceParts): Promise<TestService> {
  const { url, controlKey, label, only } = parts;
  const reading = createClockReading();
  const scope = only === undefined ? {} : { instance: only };
  const forgotten: Forgotten = {};
  let instances: TestInstances;
  let main: string;
  /** How each application that was signed in to is reached. */
  const reaches = new Map<Application, Promise<Reach>>();
  const reach = (app: Application): Promise<Reach> => {
    const known = reaches.get(app) ?? import("./application.ts").then(({ reachOf }) => reachOf(app));
    reaches.set(app, known);
    known.catch(() => reaches.delete(app));
    return known;
  };
  let closed: Promise<void> | undefined;
  const closeAll = (): Promise<void> =>
    (closed ??= (async () => {
      await Promise.all([...reaches.values()].map(async (each) => (await each).close()));
      await parts.close();
    })());

  const controlBy = (fetch: typeof globalThis.fetch): ControlClient => {
    const followed: Fetch = async (input, init) => {
      const answer = await fetch(input, init);
      reading.follow(answer);
      return answer;
    };
    return createControlClient({ url, controlKey, fetch: followed });
  };

  const listInstances = async (control: ControlClient): Promise<TestInstances> =>
    testInstances(parts.instances?.() ?? (await readInstances(control, only)));

  /** @param match what its scenarios are narrowed to @param whyClosed undefined while it is open */
  function open(
    name: string,
    match: NonNullable<NewScenario["match"]>,
    whyClosed: () => string | undefined,
    close: () => Promise<void>,
  ): TestService {
    const requireOpen = (): void => {
      const why = whyClosed();
      if (why !== undefined) throw new ControlError("closed", undefined, why);
    };
    const fetch: typeof globalThis.fetch = async (input, init) => {
      requireOpen();
      return parts.fetch(input, init);
    };
    const control = controlBy(fetch);
    const clock = createTestClock(control, reading);
    const scenarios = createTestScenarios(control, name, { ...scope, ...match });
    const { flows, forget } = createTestFlows(control, scope, forgotten);
    const changed = async (): Promise<void> => {
      instances = await listInstances(control);
    };
    const clients = new Set<Client>();
    const end = async (): Promise<void> => {
      await Promise.all([...clients].map((client) => client.close()));
      clients.clear();
      await close();
    };
    const svc: TestService = {
      url,
      controlKey,
      get instances() {
        return instances;
      },
      control,
      client(instance, options = {}) {
        requireOpen();
        if (instance !== undefined && typeof instance !== "string")
          throw new ServeError(
            "client needs the instance first, and the options after it: client(undefined, { retry: 0 }).",
          );
        const keys = instanceNamed(instances, instance);
        const { url: baseUrl, secret_key: secretKey, publishable_key: publishableKey } = keys;
        const address = { secretKey, publishableKey, baseUrl, now: clock.now, fetch };
        // A test may run in a simulated browser, and its keys are worth nothing.
        const client = createClient({ ...address, dangerouslyAllowBrowser: true, ...options });
        clients.add(client);
        return client;
      },
      fetch,
      async signIn(options = {}) {
        checkOptions("signIn", options, SIGN_IN_OPTIONS, 'signIn({ as: "ada" })');
        const { redirectUri: redirect_uri, ...body } = withEdits("profile", options);
        return control.request("POST /sign-ins", { body: { ...scope, browser: match.browser, ...body, redirect_uri } });
      },
      async signInTo(app, options) {
        requireOpen();
        const { signInTo } = await import("./signed-in.ts");
        return signInTo(svc, await reach(app), options);
      },
      scenarios,
      clock,
      tokens: createTestTokens(control, main),
      users: createTestUsers(control, main),
      sessions: createTestSessions(control, main),
      snapshots: createTestSnapshots(control, changed),
      flows,
      async reset() {
        if (only === undefined) await control.request("POST /reset", { body: { all: true } });
        else await Promise.all([control.request("POST /reset", { body: { instance: only } }), scenarios.clear()]);
        await Promise.all([changed(), forget()]);
      },
      close: end,
      [Symbol.asyncDispose]: end,
      scoped(ownName, ownMatch = {}) {
        let isOver = false;
        const why = "This service was for one test, which is over. Await every call before the test ends.";
        const endScope = async (): Promise<void> => void (isOver = true);
        return open(ownName, ownMatch, () => whyClosed() ?? (isOver ? why : undefined), endScope);
      },
    };
    return svc;
  }

  instances = await listInstances(controlBy(parts.fetch));
  main = instances[0].id;
  const why = "The test service is closed. Use it before close(), or create another.";
  return open(label, {}, () => (closed ? why : undefined), closeAll);
}
