import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { H3 } from "h3";
import type { Provider } from "../wire/providers.ts";
import { controlOptions, mountControl, type ControlOptions } from "./control/mount.ts";
import { Flows } from "./history/flows.ts";
import { RequestLog, logTo } from "./history/request-log.ts";
import { createReadiness, type Readiness } from "./http/any-host.ts";
import { createApp } from "./http/app.ts";
import { createAudit } from "./http/audit.ts";
import type { ClientAddress } from "./http/listener.ts";
import type { RequestEntry } from "./http/request-entry.ts";
import { createCursors } from "./http/routes/list.ts";
import type { Seen } from "./http/pages/error.ts";
import { addPageRoutes } from "./http/routes/pages.ts";
import { addProductRoutes } from "./http/routes/product.ts";
import { addSimulatorRoutes } from "./http/routes/simulator.ts";
import type { Addresses } from "./instances/addresses.ts";
import type { Metrics } from "./metrics.ts";
import type { ServeOptions } from "./options.ts";
import { createConnect } from "./providers/connections.ts";
import { createProviderFetch } from "./providers/fetch.ts";
import { globalCredentials, type Credentials, type Offers } from "./providers/offers.ts";
import { keepRetention } from "./retention.ts";
import { createDecide } from "./scenarios/decide.ts";
import { withReplays } from "./scenarios/replays.ts";
import { createSharedState, openIdKeyOf, type SharedState } from "./shared-state/shared-state.ts";
import type { LocateIp } from "./sign-in/geo.ts";
import { createSignIns } from "./sign-in/sign-in.ts";
import { NO_START_LIMIT, createStartLimit } from "./sign-in/start-limit.ts";
import { createClients, type Clients } from "./simulator/clients.ts";
import { createSimulator, type Simulator } from "./simulator/simulator.ts";
import type { ConnectionRecord, InstanceRecord } from "./store/records.ts";
import { SEEDED, type Store } from "./store/store.ts";
import { createTokens } from "./token.ts";
import { bugWarner } from "./bug-warner.ts";

/** What a server on a port and one inside a program pass on, and what their options say. */
export interface ServiceOptions extends Pick<
  ServeOptions,
  | "clients"
  | "control"
  | "controlKey"
  | "credentials"
  | "env"
  | "fetch"
  | "onAudit"
  | "onInstances"
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
  /** Begins the shutdown: stops timers and streams, and is not ready any more. The store stays open. */
  stop(): void;
}

/** Puts the parts together on a store that is open and filled. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { addresses, isLocal, metrics, warn, onBug = bugWarner(warn) } = options;
  const store = metrics?.counting(options.store) ?? options.store;
  const stopped = new AbortController();
  // Each stream of events listens to it: Node warns of a leak at the eleventh.
  setMaxListeners(0, stopped.signal);
  const control = (options.control ?? isLocal) ? controlOptions(store, options.controlKey, stopped.signal) : undefined;
  if (options.isFresh && control) await store.snapshots.save(SEEDED, options.now().toISOString());
  const shared = await createSharedState(store, options.now, options.onInstances);
  const { instances, clock } = shared;
  const { mode, now } = clock.read();
  if (mode !== "real") warn(`the clock is ${mode} at ${now}, as it was left`);
  const readiness = createReadiness(store, () => stopped.signal.aborted);
  metrics?.watch(store, readiness);
  const identitySecret = randomBytes(32).toString("base64url");
  const app = createRoutes(options, { store, shared, control, readiness, identitySecret, onBug });
  const ids = (): string[] => instances.all.map(({ id }) => id);
  const pruning = { store, instances: ids, now: clock.now, log: warn, onBug };
  void keepRetention(pruning, options.retention ?? {}, stopped.signal);
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

interface Parts extends Pick<Service, "control" | "identitySecret" | "shared"> {
  readonly store: Store;
  readonly readiness: Readiness;
  onBug(error: unknown, request_id?: string): void;
}

/** The application with the routes of the proxy, of svc's own pages, of the simulated providers and of the control API. */
function createRoutes(options: ServiceOptions, parts: Parts): H3 {
  const { addresses, offers, credentials = {}, isLocal, strict = false, metrics, warn } = options;
  const { store, shared, control, readiness, identitySecret, onBug } = parts;
  const { instances } = shared;
  const { now } = shared.clock;
  const requests = new RequestLog();
  const observe = (entry: RequestEntry): void => {
    metrics?.onRequest(entry);
    options.onRequest?.(entry);
  };
  const flows = new Flows(now);
  const hasControl = control !== undefined;
  const seen = (id = ""): Seen | undefined => {
    const flow = isLocal && hasControl ? flows.get(id) : undefined;
    return flow && { reason: flow.reason, steps: `${addresses.front}/__svc/#/flows/${flow.id}` };
  };
  const app = createApp({
    addresses,
    instances,
    clientAddress: options.clientAddress,
    recent: shared.recent,
    readiness,
    renderMetrics: metrics?.render,
    home: isLocal ? `${addresses.front}/` : undefined,
    seen,
    onRequest: control ? logTo(requests, now, observe) : observe,
    onBug,
  });

  const tokens = createTokens();
  const clients = createClients({ instances, configured: options.clients ?? [], isLocal });
  const simulator = createSimulatorOn(store, shared, addresses, credentials, clients);
  const fetch = options.fetch ?? createProviderFetch(options.env);
  const connect = createConnect({ offers, globals: credentials, simulated: simulator, fetch });
  const allowsUnlisted = isLocal && !strict;
  const common = { store, addresses, instances, flows, now };
  const signIns = withReplays(
    createSignIns({
      ...common,
      connect,
      startLimit: isLocal ? NO_START_LIMIT : createStartLimit(now, warn),
      finished: new Map(),
      locate: options.locate,
      providerTimeoutMs: options.providerTimeoutMs,
      allowsUnlisted,
      issueToken: tokens.issue,
      onBug,
      onUnlisted: ({ name }, origin) =>
        warn(`a program sends a user of ${name} to ${origin}, which ${name} does not list in redirect_uris`),
    }),
    simulator,
  );
  const audit = createAudit(instances, options.onAudit);
  const api = { ...common, tokens, audit, cursors: createCursors(shared.sealKey) };
  addProductRoutes(app, { ...api, signIns });
  addPageRoutes(app, { ...api, offers, isLocal, allowsUnlisted, hasControl, seen, identitySecret });
  const decide = control && createDecide({ scenarios: shared.scenarios, simulator, flows });
  const atProvider = { ...common, simulator, decide };
  if (offers.canSimulate) addSimulatorRoutes(app, { ...atProvider, clients });
  if (control)
    mountControl(app, { ...api, ...atProvider, shared, connect, offers, clients, signIns, requests }, control);
  return app;
}

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
