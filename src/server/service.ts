import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { H3 } from "h3";
import type { Fetch } from "../wire/http/fetch.ts";
import type { Provider } from "../wire/providers.ts";
import { controlOptions, mountControl, type ControlOptions } from "./control/mount.ts";
import { Flows } from "./history/flows.ts";
import { RequestLog, logTo } from "./history/request-log.ts";
import { createReadiness } from "./http/any-host.ts";
import { createApp } from "./http/app.ts";
import type { ClientAddress } from "./http/listener.ts";
import type { RequestEntry } from "./http/request-entry.ts";
import { createCursors } from "./http/routes/list.ts";
import { addPageRoutes } from "./http/routes/pages.ts";
import { addProductRoutes } from "./http/routes/product.ts";
import { addSimulatorRoutes } from "./http/routes/simulator.ts";
import type { Addresses } from "./instances/addresses.ts";
import type { Metrics } from "./metrics.ts";
import type { ServeOptions } from "./options.ts";
import { createConnect } from "./providers/connections.ts";
import { globalCredentials, type Credentials, type Offers } from "./providers/offers.ts";
import { keepRetention } from "./retention.ts";
import { createSharedState, openIdKeyOf, type SharedState } from "./shared-state/shared-state.ts";
import type { LocateIp } from "./sign-in/geo.ts";
import { createSignIns } from "./sign-in/sign-in.ts";
import { NO_START_LIMIT, createStartLimit } from "./sign-in/start-limit.ts";
import { createClients, type Clients } from "./simulator/clients.ts";
import { withReplays, type Decide } from "./simulator/decision.ts";
import { createSimulator, type Simulator } from "./simulator/simulator.ts";
import type { ConnectionRecord, InstanceRecord } from "./store/records.ts";
import { SEEDED, type Store } from "./store/store.ts";
import { createTokens } from "./token.ts";

/** What a server on a port and one inside a program pass on, and what their options say. */
export interface ServiceOptions extends Pick<
  ServeOptions,
  | "clients"
  | "control"
  | "controlKey"
  | "credentials"
  | "fetch"
  | "onRequest"
  | "providerTimeoutMs"
  | "retention"
  | "strict"
> {
  readonly store: Store;
  readonly addresses: Addresses;
  readonly offers: Offers;
  /** Whether only this machine can reach the server. */
  readonly isLocal: boolean;
  /** Whether the store was just filled, so that a reset returns to its present records. */
  readonly isFresh?: boolean;
  readonly locate: LocateIp;
  /** Default: the socket's peer. */
  readonly clientAddress?: ClientAddress | undefined;
  readonly metrics?: Metrics | undefined;
  /** Whether a shutdown has begun. */
  isStopping?(): boolean;
  now(): Date;
  warn(message: string): void;
  /** Default: warns with its stack. */
  readonly onBug?: ((error: unknown, request_id?: string) => void) | undefined;
}

/** The proxy, the simulated providers and the control API, as one h3 application. */
export interface Service {
  readonly app: H3;
  /** Undefined without a control API. */
  readonly control: ControlOptions | undefined;
  /** Known only to this process and the file that it wrote. */
  readonly identitySecret: string;
  /** What can be changed while it runs. */
  readonly shared: SharedState;
  /** The current ones, with their addresses. */
  instances(): (InstanceRecord & { url: string })[];
  /** Stops timers, streams and jobs. The store stays open. */
  stop(): void;
}

/** Puts the parts together on a store that is open and filled. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { addresses, offers, credentials = {}, fetch = realFetch, isLocal, strict = false, metrics, warn } = options;
  const { onBug = bugWarner(warn), onRequest } = options;
  const store = metrics?.counting(options.store) ?? options.store;
  const stopped = new AbortController();
  // Each stream of events listens to it: Node warns of a leak at the eleventh.
  setMaxListeners(0, stopped.signal);
  const control = (options.control ?? isLocal) ? controlOptions(store, options.controlKey, stopped.signal) : undefined;
  if (options.isFresh && control) await store.snapshots.save(SEEDED, options.now().toISOString());
  const shared = await createSharedState(store, options.now);
  const { instances, clock } = shared;
  const { now } = clock;
  const { mode, now: time } = clock.read();
  if (mode !== "real") warn(`the clock is ${mode} at ${time}, as it was left`);
  const readiness = createReadiness(store, options.isStopping ?? (() => false));
  metrics?.watch(store, readiness);

  const tokens = createTokens();
  const flows = new Flows(now);
  const requests = new RequestLog();
  const clients = createClients({ instances, configured: options.clients ?? [], isLocal });
  const simulator = createSimulatorOn(store, shared, addresses, credentials, clients);
  const connect = createConnect({ offers, globals: credentials, simulated: simulator, fetch });
  const allowsUnlisted = isLocal && !strict;
  const signIns = withReplays(
    createSignIns({
      store,
      addresses,
      instances,
      connect,
      flows,
      startLimit: isLocal ? NO_START_LIMIT : createStartLimit(now),
      finished: new Map(),
      locate: options.locate,
      providerTimeoutMs: options.providerTimeoutMs,
      allowsUnlisted,
      now,
      issueToken: tokens.issue,
      onBug,
      onUnlisted: ({ name }, origin) =>
        warn(`a program sends a user of ${name} to ${origin}, which ${name} does not list in redirect_uris`),
    }),
    simulator,
  );

  const observe = (entry: RequestEntry): void => {
    metrics?.onRequest(entry);
    onRequest?.(entry);
  };
  const app = createApp({
    addresses,
    instances,
    clientAddress: options.clientAddress,
    recent: shared.recent,
    readiness,
    renderMetrics: metrics?.render,
    home: isLocal ? `${addresses.front}/` : undefined,
    onRequest: control ? logTo(requests, now, observe) : observe,
    onBug,
  });
  const api = { store, instances, addresses, tokens, now, cursors: createCursors(shared.sealKey) };
  addProductRoutes(app, { ...api, signIns, flows });
  const identitySecret = randomBytes(32).toString("base64url");
  const hasControl = control !== undefined;
  addPageRoutes(app, { ...api, offers, isLocal, allowsUnlisted, hasControl, identitySecret });
  const decide = control && decideBy(store, shared, simulator);
  const atProvider = { store, instances, addresses, simulator, flows, now, decide };
  if (offers.canSimulate) addSimulatorRoutes(app, { ...atProvider, clients });
  if (control)
    mountControl(app, { ...api, ...atProvider, shared, connect, offers, clients, signIns, requests }, control);
  const ids = (): string[] => instances.all.map(({ id }) => id);
  void keepRetention({ store, instances: ids, now, log: warn, onBug }, options.retention ?? {}, stopped.signal);
  return {
    app,
    control,
    identitySecret,
    shared,
    instances: () => instances.all.map((instance) => ({ ...instance, url: addresses.instanceUrl(instance) })),
    stop() {
      stopped.abort();
      shared.close();
    },
  };
}

/** Warns of an error that should not have happened, with its stack. */
export function bugWarner(warn: (message: string) => void): (error: unknown, request_id?: string) => void {
  return (error, request_id) =>
    warn(
      `internal error${request_id === undefined ? "" : ` in request ${request_id}`}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
}

/** Loaded when the first real provider is asked: most servers never do. */
const realFetch: Fetch = async (url, init) => (await import("./providers/fetch.ts")).providerFetch(url, init);

function createSimulatorOn(
  store: Store,
  shared: SharedState,
  { front, callbackUrl }: Addresses,
  credentials: Credentials,
  applications: Clients,
): Simulator {
  const clients = (provider: Provider): ConnectionRecord[] => {
    const own = shared.instances.all.map((instance) => instance.connections[provider]);
    return [...own, globalCredentials(provider, credentials)].filter((client) => client !== undefined);
  };
  const simulator = createSimulator({
    front,
    callbackUrl,
    personas: shared.personas,
    clients,
    applications,
    sealKey: shared.sealKey,
    keepKey: (make) => openIdKeyOf(store, make),
    now: shared.clock.now,
  });
  shared.onPersonas((personas) => simulator.personas.replace(personas));
  return simulator;
}

/** Loaded with the first scenario: most servers never have one. */
function decideBy(store: Store, shared: SharedState, simulator: Simulator): Decide {
  return async (arrival) =>
    shared.scenarios.length === 0
      ? { decision: undefined, scenario: null, considered: [] }
      : (await import("./shared-state/decide.ts")).decide({ store, shared, simulator }, arrival);
}
