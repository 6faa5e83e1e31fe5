import type { H3 } from "h3";
import type { Fetch } from "../wire/http/fetch.ts";
import type { Provider } from "../wire/providers.ts";
import { mountControl, type ControlOptions } from "./control/mount.ts";
import { Flows } from "./history/flows.ts";
import { RequestLog, logTo } from "./history/request-log.ts";
import { createReadiness, type Readiness, type RenderMetrics } from "./http/any-host.ts";
import { createApp } from "./http/app.ts";
import type { ClientAddress } from "./http/listener.ts";
import type { RequestEntry } from "./http/request-entry.ts";
import { createCursors } from "./http/routes/list.ts";
import { addPageRoutes } from "./http/routes/pages.ts";
import { addProductRoutes } from "./http/routes/product.ts";
import { addSimulatorRoutes } from "./http/routes/simulator.ts";
import type { Addresses } from "./instances/addresses.ts";
import { createConnect } from "./providers/connections.ts";
import { globalCredentials, type Credentials, type Offers } from "./providers/offers.ts";
import { demoOf } from "./seed/apply.ts";
import { openIdKeyOf, type SharedState } from "./shared-state/shared-state.ts";
import type { SignInDeps } from "./sign-in/deps.ts";
import { createSignIns } from "./sign-in/sign-in.ts";
import { NO_START_LIMIT, createStartLimit } from "./sign-in/start-limit.ts";
import { createClients, type Clients } from "./simulator/clients.ts";
import { withReplays, type Decide } from "./simulator/decision.ts";
import { createSimulator, type Simulator } from "./simulator/simulator.ts";
import type { ClientRecord, ConnectionRecord } from "./store/records.ts";
import type { Store } from "./store/store.ts";
import { createTokens } from "./token.ts";

type Observed = Pick<SignInDeps, "locate" | "onUnlisted" | "providerTimeoutMs">;

export interface ServiceOptions extends Observed {
  readonly store: Store;
  readonly addresses: Addresses;
  /** What can be changed while it runs. */
  readonly shared: SharedState;
  readonly control?: ControlOptions | undefined;
  readonly credentials: Credentials;
  /** Those of applications at the simulated providers that the configuration names. */
  readonly clients?: readonly ClientRecord[] | undefined;
  readonly offers: Offers;
  /** Whether only this machine can reach the server. */
  readonly isLocal: boolean;
  readonly strict?: boolean | undefined;
  /** Known only to this process and the file that it wrote. */
  readonly identitySecret: string;
  readonly fetch: Fetch;
  /** Default: the socket's peer. */
  readonly clientAddress?: ClientAddress | undefined;
  /** Default: that of the store. */
  readonly readiness?: Readiness | undefined;
  readonly renderMetrics?: RenderMetrics | undefined;
  readonly onRequest?: ((entry: RequestEntry) => void) | undefined;
  onBug(error: unknown, request_id?: string): void;
}

/** Creates the proxy, the simulated providers and the control API, as one h3 application. */
export function createService(options: ServiceOptions): H3 {
  const { store, shared, addresses, offers, credentials, fetch, isLocal, strict = false, control, onBug } = options;
  const { locate, providerTimeoutMs, onUnlisted, onRequest } = options;
  const { instances } = shared;
  const { now } = shared.clock;
  const tokens = createTokens();
  const flows = new Flows(now);
  const clients = createClients({ instances, configured: options.clients ?? [], isLocal });
  const simulator = simulatorOf(options, clients);
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
      locate,
      providerTimeoutMs,
      allowsUnlisted,
      now,
      issueToken: tokens.issue,
      onBug,
      onUnlisted,
    }),
    simulator,
  );

  const requests = new RequestLog();
  const app = createApp({
    addresses,
    instances,
    clientAddress: options.clientAddress,
    recent: shared.recent,
    readiness: options.readiness ?? createReadiness(store, () => false),
    renderMetrics: options.renderMetrics,
    home: isLocal ? `${addresses.front}/` : undefined,
    onRequest: control ? logTo(requests, now, onRequest) : onRequest,
    onBug,
  });
  const api = { store, instances, addresses, tokens, now, cursors: createCursors(shared.sealKey) };
  addProductRoutes(app, { ...api, signIns, flows });
  const { identitySecret } = options;
  const hasControl = control !== undefined;
  addPageRoutes(app, { ...api, offers, isLocal, allowsUnlisted, hasControl, demoOf, identitySecret });
  const atProvider = {
    store,
    instances,
    addresses,
    simulator,
    flows,
    now,
    decide: control && decideBy(options, simulator),
  };
  if (offers.canSimulate) addSimulatorRoutes(app, { ...atProvider, clients });
  if (control)
    mountControl(app, { ...api, ...atProvider, shared, connect, offers, clients, signIns, requests }, control);
  return app;
}

function simulatorOf({ addresses, credentials, shared, store }: ServiceOptions, applications: Clients): Simulator {
  const clients = (provider: Provider): ConnectionRecord[] => {
    const own = shared.instances.all.map((instance) => instance.connections[provider]);
    return [...own, globalCredentials(provider, credentials)].filter((client) => client !== undefined);
  };
  const simulator = createSimulator({
    front: addresses.front,
    callbackUrl: addresses.callbackUrl,
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
function decideBy({ store, shared }: ServiceOptions, simulator: Simulator): Decide {
  return async (arrival) =>
    shared.scenarios.length === 0
      ? { decision: undefined, scenario: null, considered: [] }
      : (await import("./shared-state/decide.ts")).decide({ store, shared, simulator }, arrival);
}
