import { randomBytes } from "node:crypto";
import type { Fetch } from "../wire/fetch.ts";
import { isLoopback } from "../wire/loopback.ts";
import { DEFAULT_PORT, PROVIDERS, type Provider } from "../wire/names.ts";
import { createAddresses } from "./instances/addresses.ts";
import type { App } from "./http/app.ts";
import { createClientAddress, type ClientAddress } from "./http/client-address.ts";
import { ServeError, type SignInError } from "./errors.ts";
import { nowhere, openGeoDatabase, type LocateIp } from "./sign-in/geo.ts";
import { wildcardWarnings } from "./sign-in/redirect-rule.ts";
import { controlOptions } from "./control.ts";
import { dashboardLink } from "./control/dashboard-link.ts";
import { createLive } from "./live/index.ts";
import { listen } from "./http/listen.ts";
import type { Metrics } from "./metrics.ts";
import { createListener } from "./http/listener.ts";
import { checkCredentials, describeProvider } from "./providers/connections.ts";
import { fill, fillingOf } from "./seed/apply.ts";
import { createService } from "./service.ts";
import { checkOptions, type RunningServer, type ServeOptions } from "./options.ts";
import { openStore } from "./store/open.ts";
import type { InstanceRecord } from "./store/records.ts";
import { SEEDED, StoreNotEmpty, type Store } from "./store/store.ts";

export type { RunningServer, ServeOptions };

const GRACE_MS = 10_000;

/**
 * Starts the service: the proxy, and the three providers simulated behind it.
 * @throws {ServeError | PortUnavailable | StoreRefused | SeedError}
 */
export async function serve(options: ServeOptions = {}): Promise<RunningServer> {
  checkOptions(options);
  const { warn = () => {} } = options;
  const clientAddress = createClientAddress(options.trustProxy ?? []);
  const locate = options.geoip === undefined ? nowhere : await openGeoDatabase(options.geoip);
  const metrics = options.metrics ? await (await import("./metrics.ts")).createMetrics() : undefined;
  const store = await openStore(options.store ?? ".svc/db.json", { warn, onCommit: metrics?.onCommit });
  try {
    return await serveStore(store, options, clientAddress, locate, metrics);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serveStore(
  store: Store,
  options: ServeOptions,
  clientAddress: ClientAddress,
  locate: LocateIp,
  metrics: Metrics | undefined,
): Promise<RunningServer> {
  const { port = DEFAULT_PORT, https = false, now = () => new Date(), warn = () => {} } = options;
  const { credentials = {}, providers = "auto" } = options;
  const filling = await fillingOf(store, options, now(), warn);
  const known = filling?.records.instances ?? (await store.instances());
  const isLocal =
    isLoopback(options.host ?? "localhost") && isLoopback(new URL(options.publicUrl ?? "http://localhost").hostname);
  checkCredentials(known, credentials, providers, isLocal);
  wildcardWarnings(known, isLocal).forEach(warn);

  const onBug = (error: unknown, request_id?: string): void =>
    warn(
      `internal error${request_id === undefined ? "" : ` in request ${request_id}`}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  // The port is known only when it is bound, and every address depends on it.
  let start!: (app: App) => void;
  const started = new Promise<App>((resolve) => (start = resolve));
  const app: Pick<App, "answer"> = { answer: async (incoming) => (await started).answer(incoming) };
  let isStopping = false;
  const listener = createListener(app, clientAddress, { onBug, isStopping: () => isStopping });
  const listening = await listen(listener, {
    port,
    host: options.host,
    certificateFor: https ? hostNames(options, known) : undefined,
  });
  try {
    // Only now, when nothing else can keep the server from running, is anything replaced.
    if (filling) await fill(store, filling, options.reset === true);
  } catch (error) {
    await listening.close({ drainMs: 0, graceMs: 0 });
    if (!(error instanceof StoreNotEmpty)) throw error;
    if ((await store.instances()).length === 0)
      throw new ServeError(`${store.location} holds records, but no instance. Begin anew with --reset.`);
    // Another server has filled it since: then with what it holds now.
    return serveStore(store, options, clientAddress, locate, metrics);
  }
  const addresses = createAddresses(
    options.publicUrl ?? `${https ? "https" : "http"}://localhost:${listening.port}`,
    listening.port,
    options.allowedHosts,
  );
  metrics?.watch(store);
  const stopped = new AbortController();
  const control = (options.control ?? isLocal) ? controlOptions(store, options.controlKey, stopped.signal) : undefined;
  if (filling && control) await store.snapshots.save(SEEDED, now().toISOString());
  const live = await createLive(store, now);
  const clock = live.clock.read();
  if (clock.mode !== "real") warn(`the clock is ${clock.mode} at ${clock.now}, as it was left`);
  const identitySecret = randomBytes(32).toString("base64url");
  start(
    createService({
      store,
      identitySecret,
      live,
      control,
      providerTimeoutMs: options.providerTimeoutMs,
      addresses,
      isLocal,
      locate,
      providers,
      credentials,
      fetch: options.fetch ?? realFetch,
      onBug,
      onFailure: (provider, error) => warn(failureText(provider, error)),
      isStopping: () => isStopping,
      onIgnored: (provider, paths) =>
        warn(`sign-in with ${provider}: ignored ${paths.join(", ")}, which could not be read`),
      onUnlisted: ({ name }, origin) =>
        warn(`a program sends a user of ${name} to ${origin}, which ${name} does not list in redirect_uris`),
      onRequest: metrics
        ? (entry) => {
            metrics.onRequest(entry);
            options.onRequest?.(entry);
          }
        : options.onRequest,
      renderMetrics: metrics?.render,
    }),
  );
  return {
    url: addresses.front,
    api_url: addresses.api,
    callback_url: addresses.front,
    port: listening.port,
    bound: listening.bound,
    certificate: listening.certificate,
    store: store.location,
    providers: Object.fromEntries(
      PROVIDERS.map((name) => [name, describeProvider(name, known, credentials, providers)]),
    ) as RunningServer["providers"],
    isLocal,
    identity_secret: identitySecret,
    control_key: control?.controlKey,
    dashboardLink: async () => control && dashboardLink(control.dashboardKeys, addresses, true),
    get instances() {
      return live.instances.all.map((instance) => ({ ...instance, url: addresses.instanceUrl(instance) }));
    },
    async close({ drainMs = 0 } = {}) {
      isStopping = true;
      stopped.abort();
      live.close();
      await listening.close({ drainMs, graceMs: GRACE_MS });
      await store.close();
    },
  };
}

/** Loaded when the first real provider is asked: most servers never do. */
const realFetch: Fetch = async (url, init) => (await import("./providers/fetch.ts")).providerFetch(url, init);

/** The names that a certificate must have: a wildcard right below a top-level domain is trusted by nobody. */
function hostNames({ publicUrl, allowedHosts = [] }: ServeOptions, instances: readonly InstanceRecord[]): string[] {
  const front = publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname;
  const below = ["api", ...instances.map(({ subdomain }) => subdomain)].map((label) => `${label}.${front}`);
  return [...new Set([front, "localhost", "127.0.0.1", "::1", ...below, ...allowedHosts])];
}

function failureText(provider: Provider, error: SignInError): string {
  const cause = error.message === "unexpected" && error.cause instanceof Error ? ` (${error.cause.stack})` : "";
  return `sign-in with ${provider} failed: ${error.code}: ${error.message}${cause}`;
}
