import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { H3 } from "h3";
import { controlOptions, mountControl, type ControlOptions } from "./control/mount.ts";
import { Flows } from "./history/flows.ts";
import { RequestLog, logTo } from "./history/request-log.ts";
import { createReadiness } from "./http/any-host.ts";
import { createApp } from "./http/app.ts";
import { withoutRequest, type AuditEntry } from "./http/audit-entry.ts";
import { createAudit } from "./http/audit.ts";
import type { ClientAddress } from "./http/client-address.ts";
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
import { answersBy, createProviderFetch } from "./providers/fetch.ts";
import type { Offers } from "./providers/offers.ts";
import { keepRetention } from "./retention.ts";
import { createDecide, withReplays } from "./scenarios/decide.ts";
import { createSharedState, openIdKeyOf, type SharedState } from "./shared-state/shared-state.ts";
import type { LocateIp } from "./sign-in/geo.ts";
import { createSignIns } from "./sign-in/sign-in.ts";
import { NO_START_LIMIT, createStartLimit } from "./sign-in/start-limit.ts";
import { createClients, serviceClients } from "./simulator/clients.ts";
import { createSimulator } from "./simulator/simulator.ts";
import type { InstanceRecord } from "./store/records.ts";
import { SEEDED, type Store } from "./store/store.ts";
import { createTokens } from "./token.ts";

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
  readonly isLocal: boolean;
  /** Whether the store was just filled, so that a reset returns to its present records. */
  readonly isFresh?: boolean;
  readonly locate: LocateIp;
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
  /** Prunes sessions from now on: a server that gets no port must delete none. */
  keepRetention(): void;
  /** Begins the shutdown: stops timers and streams, and is not ready any more. The store stays open. */
  stop(): void;
  onBug(error: unknown, request_id?: string): void;
}

/** Puts the parts together on a store that is open and filled. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const parts = await createParts(options);
  const { addresses, control, identitySecret, instances, now, offers, onAudit, onBug, shared, store, stopped } = parts;
  const app = createApp(parts);
  addProductRoutes(app, parts);
  addPageRoutes(app, parts);
  if (offers.canSimulate) addSimulatorRoutes(app, parts);
  if (control) mountControl(app, parts, control);
  const ids = (): string[] => instances.all.map(({ id }) => id);
  const onPruned = (id: string, count: number): void =>
    onAudit(
      withoutRequest("retention", { action: "sessions_pruned", instance: instances.byId(id)?.subdomain ?? id, count }),
    );
  const pruning = { store, instances: ids, now, log: options.warn, onPruned, onBug };
  return {
    app,
    control,
    identitySecret,
    shared,
    onBug,
    keepRetention: () => void keepRetention(pruning, options.retention ?? {}, stopped.signal),
    instances: () => instances.all.map((instance) => ({ ...instance, url: addresses.instanceUrl(instance) })),
    stop() {
      stopped.abort();
      shared.close();
    },
  };
}

/** Every part, made once. What is put together of them takes what it needs. */
async function createParts(options: ServiceOptions) {
  const { addresses, credentials = {}, isLocal, metrics, offers, store, strict = false, warn } = options;
  const { onBug = bugWarner(warn) } = options;
  const stopped = new AbortController();
  // Each stream of events listens to it: Node warns of a leak at the eleventh.
  setMaxListeners(0, stopped.signal);
  const control = (options.control ?? isLocal) ? controlOptions(store, options.controlKey, stopped.signal) : undefined;
  if (options.isFresh && control) await store.snapshots.save(SEEDED, options.now().toISOString());
  const shared = await createSharedState(store, options.now, options.onInstances);
  const { clock, instances, scenarios, sealKey } = shared;
  const { now } = clock;
  const left = clock.read();
  if (left.mode !== "real") warn(`the clock is ${left.mode} at ${left.now}, as it was left`);
  const readiness = createReadiness(store, () => stopped.signal.aborted);
  metrics?.watch(store, readiness);

  // The control API shows them, and a simulated provider's failure begins with who asked for it.
  const flows = new Flows(now, control !== undefined || offers.canSimulate);
  const requests = new RequestLog();
  const observe = (entry: RequestEntry): void => {
    metrics?.onRequest(entry);
    options.onRequest?.(entry);
  };
  const onAudit = (entry: AuditEntry): void => {
    metrics?.onAudit(entry);
    options.onAudit?.(entry);
  };
  const seen = (id = ""): Seen | undefined => {
    const flow = isLocal && control ? flows.get(id) : undefined;
    return flow && { reason: flow.reason, steps: `${addresses.front}/__svc/#/flows/${flow.id}` };
  };

  const clients = createClients({ instances, configured: options.clients ?? [], isLocal });
  const simulator = createSimulator({
    front: addresses.front,
    callbackUrl: addresses.callbackUrl,
    personas: shared.personas,
    clients: (provider) => serviceClients(provider, instances.all, credentials),
    applications: clients,
    sealKey,
    keepKey: (make) => openIdKeyOf(store, make),
    now,
  });
  shared.onPersonas((personas) => simulator.personas.replace(personas));
  const ask = answersBy(options.fetch ?? createProviderFetch(options.env));
  const connect = createConnect({ offers, globals: credentials, simulated: simulator, ask });

  const tokens = createTokens();
  const allowsUnlisted = isLocal && !strict;
  const signIns = createSignIns({
    store,
    addresses,
    instances,
    connect,
    flows,
    startLimit: isLocal ? NO_START_LIMIT : createStartLimit(now, warn),
    used: new Map(),
    locate: options.locate,
    providerTimeoutMs: options.providerTimeoutMs,
    allowsUnlisted,
    now,
    issueToken: tokens.issue,
    onBug,
    onUnlisted: ({ name }, origin) =>
      warn(`a program sends a user of ${name} to ${origin}, which ${name} does not list in redirect_uris`),
  });
  return {
    store,
    stopped,
    addresses,
    offers,
    isLocal,
    shared,
    instances,
    now,
    readiness,
    clientAddress: options.clientAddress,
    renderMetrics: metrics?.render,
    home: isLocal ? `${addresses.front}/` : undefined,
    seen,
    onRequest: control ? logTo(requests, now, observe) : observe,
    onBug,
    flows,
    requests,
    clients,
    simulator,
    connect,
    tokens,
    allowsUnlisted,
    signIns: offers.canSimulate ? withReplays(signIns, simulator) : signIns,
    onAudit,
    audit: createAudit(instances, onAudit),
    cursors: createCursors(sealKey),
    control,
    decide: control && createDecide({ scenarios, simulator, flows }),
    identitySecret: randomBytes(32).toString("base64url"),
  };
}

/** Warns of an error that should not have happened, with its stack. */
function bugWarner(warn: (message: string) => void): (error: unknown, request_id?: string) => void {
  return (error, request_id) =>
    warn(
      `internal error${request_id === undefined ? "" : ` in request ${request_id}`}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
}
