import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { H3 } from "h3";
import type { Fetch } from "../wire/http/fetch.ts";
import { controlOptions, type ControlOptions } from "./control/mount.ts";
import { createReadiness } from "./http/any-host.ts";
import type { Metrics } from "./metrics.ts";
import type { ServeOptions } from "./options.ts";
import { keepRetention } from "./retention.ts";
import { createService, type ServiceOptions } from "./service.ts";
import { createSharedState } from "./shared-state/shared-state.ts";
import type { InstanceRecord } from "./store/records.ts";
import { SEEDED } from "./store/store.ts";

type Given = Pick<
  ServeOptions,
  "clients" | "control" | "controlKey" | "credentials" | "fetch" | "onRequest" | "retention"
>;
type PassedOn = Pick<
  ServiceOptions,
  "addresses" | "clientAddress" | "isLocal" | "locate" | "offers" | "providerTimeoutMs" | "store" | "strict"
>;

interface AssembleOptions extends Given, PassedOn {
  /** Whether the store was just filled, so that a reset returns to its present records. */
  readonly isFresh: boolean;
  readonly metrics?: Metrics | undefined;
  /** Whether a shutdown has begun. */
  isStopping?(): boolean;
  now(): Date;
  warn(message: string): void;
}

export interface Assembled {
  readonly app: H3;
  readonly control: ControlOptions | undefined;
  readonly identitySecret: string;
  /** The current ones, with their addresses. */
  instances(): (InstanceRecord & { url: string })[];
  /** Stops timers, streams and jobs. The store stays open. */
  stop(): void;
}

/**
 * What a server on a port and one inside a program have in common: the service on its store, and its control API.
 */
export async function assemble(options: AssembleOptions): Promise<Assembled> {
  const { addresses, isLocal, metrics, now, warn } = options;
  const store = metrics?.counting(options.store) ?? options.store;
  const stopped = new AbortController();
  // Each stream of events listens to it: Node warns of a leak at the eleventh.
  setMaxListeners(0, stopped.signal);
  const control = (options.control ?? isLocal) ? controlOptions(store, options.controlKey, stopped.signal) : undefined;
  if (options.isFresh && control) await store.snapshots.save(SEEDED, now().toISOString());
  const shared = await createSharedState(store, now);
  const clock = shared.clock.read();
  if (clock.mode !== "real") warn(`the clock is ${clock.mode} at ${clock.now}, as it was left`);
  const onBug = bugWarner(warn);
  const readiness = createReadiness(store, options.isStopping ?? (() => false));
  metrics?.watch(store, readiness);
  const identitySecret = randomBytes(32).toString("base64url");
  const observe = options.onRequest;
  const app = createService({
    store,
    shared,
    addresses,
    offers: options.offers,
    credentials: options.credentials ?? {},
    clients: options.clients,
    fetch: options.fetch ?? realFetch,
    providerTimeoutMs: options.providerTimeoutMs,
    locate: options.locate,
    isLocal,
    strict: options.strict,
    clientAddress: options.clientAddress,
    identitySecret,
    control,
    readiness,
    renderMetrics: metrics?.render,
    onRequest(entry) {
      metrics?.onRequest(entry);
      observe?.(entry);
    },
    onBug,
    onUnlisted: ({ name }, origin) =>
      warn(`a program sends a user of ${name} to ${origin}, which ${name} does not list in redirect_uris`),
  });
  const retained = {
    store,
    instances: () => shared.instances.all.map(({ id }) => id),
    now: shared.clock.now,
    log: warn,
    onBug,
  };
  void keepRetention(retained, options.retention ?? {}, stopped.signal);
  return {
    app,
    control,
    identitySecret,
    instances: () => shared.instances.all.map((instance) => ({ ...instance, url: addresses.instanceUrl(instance) })),
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
