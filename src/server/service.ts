import { randomBytes } from "node:crypto";
import type { Fetch } from "../wire/fetch.ts";
import type { Provider } from "../wire/names.ts";
import type { Addresses } from "./instances/addresses.ts";
import { createApp, type App } from "./http/app.ts";
import type { RequestEntry } from "./http/entry.ts";
import type { SignInError } from "./errors.ts";
import { createMonitoring, type RenderMetrics } from "./http/monitoring.ts";
import { FinishedSignIns } from "./sign-in/finished.ts";
import type { LocateIp } from "./sign-in/geo.ts";
import { createStartLimit, NO_START_LIMIT } from "./sign-in/start-limit.ts";
import type { Instances } from "./instances/instances.ts";
import { createConnect, globalCredentials, type ProvidersMode } from "./providers/connections.ts";
import type { Credentials } from "./providers/credentials.ts";
import { createSimulator } from "./simulator/index.ts";
import type { ConnectionRecord, InstanceRecord, PersonaRecord } from "./store/records.ts";
import type { Store } from "./store/store.ts";
import { createTokens } from "./token.ts";

/** Everything that the service is made from: values, and the parts of the world it may touch. */
export interface ServiceOptions {
  readonly store: Store;
  readonly instances: Instances;
  readonly addresses: Addresses;
  readonly personas: readonly PersonaRecord[];
  /** Whether only this machine can reach it. */
  readonly isLocal: boolean;
  /** What only this process and the file that it wrote know; made up where none is given. */
  readonly identitySecret?: string | undefined;
  readonly locate: LocateIp;
  readonly providers: ProvidersMode;
  readonly credentials: Credentials;
  /** Reaches the real providers. */
  readonly fetch: Fetch;
  now(): Date;
  onBug(error: unknown, request_id: string): void;
  onFailure(provider: Provider, error: SignInError): void;
  /** Whether a shutdown has begun. */
  isStopping?(): boolean;
  onIgnored?(provider: Provider, paths: readonly string[]): void;
  /** Told of a program that has a user sent to another host than this, without the instance listing it. */
  onUnlisted(instance: InstanceRecord, origin: string): void;
  readonly renderMetrics?: RenderMetrics | undefined;
  readonly onRequest?: ((entry: RequestEntry) => void) | undefined;
}

/** Puts the parts together: the proxy, and the simulated providers behind it. */
export function createService(options: ServiceOptions): App {
  const { instances, addresses, credentials, now } = options;
  const clients = (provider: Provider): ConnectionRecord[] =>
    [
      ...instances.all.map((instance) => instance.connections[provider]),
      globalCredentials(provider, credentials),
    ].filter((client) => client !== undefined);
  const simulator = createSimulator({
    front: addresses.front,
    callbackUrl: addresses.callbackUrl,
    personas: options.personas,
    clients,
    secrets: instances.all.map((instance) => instance.secret_key),
    now,
  });
  const tokens = createTokens();
  return createApp({
    store: options.store,
    monitoring: createMonitoring(options.store, () => options.isStopping?.() ?? false, options.renderMetrics),
    instances,
    addresses,
    simulator,
    tokens,
    isLocal: options.isLocal,
    identitySecret: options.identitySecret ?? randomBytes(32).toString("base64url"),
    connect: createConnect({
      mode: options.providers,
      globals: credentials,
      simulated: simulator,
      fetch: options.fetch,
    }),
    locate: options.locate,
    startLimit: options.isLocal ? NO_START_LIMIT : createStartLimit(now),
    findInstance: instances.byId,
    issueToken: tokens.issue,
    now,
    onBug: options.onBug,
    onFailure: options.onFailure,
    onIgnored: (provider, paths) => options.onIgnored?.(provider, paths),
    onUnlisted: options.onUnlisted,
    finished: new FinishedSignIns(),
    onRequest: options.onRequest,
  });
}
