/** A whole service for a test: in this process, on a port of its own, or one that is running already. */
import { requireNode } from "./environment.ts";
import { randomUUID } from "node:crypto";
import { createControlClient } from "../control-client/index.ts";
import { embed, type EmbeddedServer } from "../server/embed.ts";
import type { RunningServer, ServeOptions } from "../server/index.ts";
import { trimSlash } from "../http/request.ts";
import { createInsideFetch, createNetworkFetch } from "./fetch.ts";
import { checkKitOptions, checkServer } from "./options.ts";
import { createTestServiceFrom } from "./create.ts";
import type { TestService } from "./test-service.ts";

export { ControlError, type ControlClient, type ControlErrorCode } from "../control-client/index.ts";
export type { Application } from "./application.ts";
export type { SignedInAgent, SignInToOptions } from "./signed-in.ts";
export type { Duration, Moment, PageWithClock, TestClock } from "./clock.ts";
export type { Flow, FlowFilter, TestFlows } from "./flows.ts";
export type {
  NewToken,
  TestInstance,
  TestInstances,
  TestSession,
  TestSessions,
  TestSnapshots,
  TestTokens,
  TestUser,
  TestUsers,
} from "./stored.ts";
export type { NewScenario, Scenario, TestScenarios } from "./scenarios.ts";
export type { SignInOptions, SignInResult, TestService } from "./test-service.ts";

/**
 * `seed` is a seed document or the path of one; default: the demo. `strict`: whether a sign-in may only return to registered
 * `redirect_uris`, as in production. Providers are simulated, records are in memory.
 */
export type TestServiceOptions = Pick<ServeOptions, "seed" | "strict" | "now" | "warn">;

const OPTIONS = ["seed", "strict", "now", "warn"] satisfies (keyof TestServiceOptions)[];

// Read when this is loaded: fake timers that a test installs later move the test's time, not the service's.
const RealDate = Date;
const now = (): Date => new RealDate();

/**
 * Creates a service in this process, without a port: pass its `fetch` to what calls it. Ready within milliseconds.
 * @throws {ServeError} for an unknown option, or a seed that can't be read @throws {SeedError} for one that can't be used
 */
export async function createTestService(options: TestServiceOptions = {}): Promise<TestService> {
  checkKitOptions("createTestService", options, OPTIONS);
  requireNode("createTestService");
  const server = await embed({ now, ...options });
  const { url, control_key: controlKey, close } = server;
  const fetch = createInsideFetch(url, server.fetch);
  const instances = (): EmbeddedServer["instances"] => server.instances;
  return createTestServiceFrom({ url, controlKey, fetch, label: randomUUID(), instances, close });
}

/**
 * Starts a service on a free port, for browsers and other programs. It does not keep the process alive, so that a test
 * which fails before `close()` ends.
 * @throws as `createTestService`
 */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  checkKitOptions("startTestService", options, OPTIONS);
  requireNode("startTestService");
  const { serve } = await import("../server/index.ts");
  const server = await serve({ now, ...options, port: 0, store: "memory", providers: "simulated", control: true });
  server.unref();
  const { url, control_key: controlKey = "" } = server;
  const network = createNetworkFetch();
  const close = async (): Promise<void> => {
    await network.close();
    await server.close();
  };
  const label = randomUUID();
  const instances = (): RunningServer["instances"] => server.instances;
  return createTestServiceFrom({ url, controlKey, fetch: network.fetch, label, instances, close });
}

export interface ConnectOptions {
  /** The front door of a running server, such as `http://localhost:7820`. */
  readonly url: string;
  /** `ctl_…`, as `svc env` prints it, or `SVC_CONTROL_KEY`. */
  readonly controlKey: string;
  /** Whether to create an instance of its own, so that tests on one server do not see each other's users. */
  readonly isolate?: boolean | undefined;
}

/**
 * Connects to a running server. With `isolate`, `close` deletes the instance that was created.
 * @throws {ControlError} if the server cannot be reached or refuses the key
 * @throws {ServeError} for options that are missing, unknown or malformed
 */
export async function connect(options: ConnectOptions): Promise<TestService> {
  checkKitOptions("connect", options, ["url", "controlKey", "isolate"]);
  checkServer(options);
  const { url, controlKey, isolate = false } = options;
  const label = randomUUID();
  const network = createNetworkFetch();
  const parts = { url: trimSlash(url), controlKey, fetch: network.fetch, label };
  if (!isolate) return createTestServiceFrom({ ...parts, close: network.close });
  const control = createControlClient(parts);
  const subdomain = `test-${label.slice(0, 13)}`;
  const { id } = await control.request("POST /instances", { body: { name: subdomain, subdomain } });
  const close = async (): Promise<void> => {
    await control.request("DELETE /instances/:id", { params: { id } });
    await network.close();
  };
  return createTestServiceFrom({ ...parts, only: id, close });
}
