import type { Fetch } from "../wire/fetch.ts";
import type { Provider } from "../wire/names.ts";
import { createApp, type App } from "./http/app.ts";
import type { RequestEntry } from "./http/log-entry.ts";
import { createMonitoring, type RenderMetrics } from "./http/monitoring.ts";
import { FinishedSignIns } from "./sign-in/finished.ts";
import { createControl, type ControlOptions } from "./control/create.ts";
import { Flows } from "./flows/flows.ts";
import { logTo, RequestLog } from "./flows/request-log.ts";
import { createPositions } from "./http/positions.ts";
import type { RouteDeps } from "./http/routes/route.ts";
import type { Live } from "./live/live.ts";
import { createStartLimit, NO_START_LIMIT } from "./sign-in/start-limit.ts";
import { createConnect } from "./providers/connections.ts";
import { globalCredentials, type Credentials } from "./providers/credentials.ts";
import type { Decide } from "./simulator/answer.ts";
import { createSimulator } from "./simulator/simulator.ts";
import type { ConnectionRecord } from "./store/records.ts";
import { createTokens } from "./token.ts";

type FromOutside =
  | "store"
  | "addresses"
  | "identitySecret"
  | "isLocal"
  | "locate"
  | "offers"
  | "onBug"
  | "onFailure"
  | "onUnlisted"
  | "providerTimeoutMs";

/** Everything that the service depends on. */
export interface ServiceOptions extends Pick<RouteDeps, FromOutside> {
  /** What can be changed while it runs. */
  readonly live: Live;
  /** Undefined without a control API. */
  readonly control?: ControlOptions | undefined;
  readonly credentials: Credentials;
  /** Reaches the real providers. */
  readonly fetch: Fetch;
  /** Whether a shutdown has begun. */
  isStopping?(): boolean;
  onIgnored?(provider: Provider, paths: readonly string[]): void;
  readonly renderMetrics?: RenderMetrics | undefined;
  readonly onRequest?: ((entry: RequestEntry) => void) | undefined;
}

/** Creates the proxy, the simulated providers and the control API. */
export function createService(options: ServiceOptions): App {
  const { addresses, credentials, live, offers, store } = options;
  const { instances } = live;
  const { now } = live.clock;
  const flows = new Flows(now);
  const requests = new RequestLog();
  const clients = (provider: Provider): ConnectionRecord[] =>
    [
      ...instances.all.map((instance) => instance.connections[provider]),
      globalCredentials(provider, credentials),
    ].filter((client) => client !== undefined);
  const simulator = createSimulator({
    front: addresses.front,
    callbackUrl: addresses.callbackUrl,
    personas: live.personas,
    clients,
    sealKey: live.sealKey,
    now,
    realNow: live.clock.real,
  });
  live.onPersonas((personas) => simulator.personas.replace(personas));
  const tokens = createTokens();
  // Loaded with the first scenario: most servers never have one.
  const decide: Decide = async (arrival) =>
    live.scenarios.length === 0
      ? { decision: undefined, considered: [] }
      : (await import("./live/decide.ts")).decide({ store, live, simulator }, arrival);
  const deps = {
    ...options,
    instances,
    positions: createPositions(live.sealKey),
    simulator,
    tokens,
    connect: createConnect({ offers, globals: credentials, simulated: simulator, fetch: options.fetch }),
    startLimit: options.isLocal ? NO_START_LIMIT : createStartLimit(now),
    findInstance: instances.byId,
    issueToken: tokens.issue,
    now,
    flows,
    decide: options.control && decide,
    finished: new FinishedSignIns(),
  } satisfies RouteDeps;
  const { control } = options;
  return createApp({
    ...deps,
    monitoring: createMonitoring(store, () => options.isStopping?.() ?? false, options.renderMetrics),
    control: control && createControl({ ...deps, requests }, control),
    recent: live.recent,
    onRequest: control ? logTo(requests, now, options.onRequest) : options.onRequest,
  });
}
