import { createClient, type Client } from "../client/index.ts";
import { ControlError, createControlClient, type ControlClient } from "../control-client/index.ts";
import { ServeError } from "../server/errors.ts";
import type { Fetch } from "../http/fetch.ts";
import type { Application, Reach } from "./application.ts";
import { createClockReading, createTestClock } from "./clock.ts";
import { createTestFlows, type Forgotten } from "./flows.ts";
import { checkKitOptions, withEdits } from "./options.ts";
import {
  createTestSessions,
  createTestSnapshots,
  createTestTokens,
  createTestUsers,
  instanceNamed,
  readInstances,
  testInstances,
  type TestInstance,
  type TestInstances,
} from "./stored.ts";
import { createTestScenarios, type NewScenario } from "./scenarios.ts";
import type { SignInOptions, TestService } from "./test-service.ts";

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
        checkKitOptions("signIn", options, SIGN_IN_OPTIONS, 'signIn({ as: "ada" })');
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
      snapshots: createTestSnapshots(control, only, changed),
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
