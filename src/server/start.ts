import { isLoopback } from "../http/address.ts";
import { PROVIDERS } from "../wire/providers.ts";
import { DEFAULT_PORT } from "../wire/serve.ts";
import { checkControlKey, dashboardLink } from "./control/keys.ts";
import { ServeError } from "./errors.ts";
import { fillStore } from "./fill-store.ts";
import { createClientAddress, createIsProxy } from "./http/client-address.ts";
import { findPlace, listen, type ListenPlace } from "./http/listen.ts";
import { createListener } from "./http/listener.ts";
import { createAddresses } from "./instances/addresses.ts";
import type { RunningServer, ServeOptions } from "./options.ts";
import { hostsInstead, proxiesInUse } from "./providers/connections.ts";
import { createOffers, describeProvider } from "./providers/offers.ts";
import { createService } from "./service.ts";
import { checkServeOptions } from "./settings.ts";
import { nowhere, openGeoDatabase } from "./sign-in/geo.ts";
import { checkProviders, startWarnings } from "./start-warnings.ts";
import { openStore } from "./store/open.ts";
import type { InstanceRecord } from "./store/records.ts";

const GRACE_MS = 10_000;

/**
 * Starts the service on a port: the proxy, and the three providers simulated behind it.
 * @throws {ServeError | PortUnavailable | StoreRefused | SeedError}
 */
export async function serve(options: ServeOptions = {}): Promise<RunningServer> {
  if ("Bun" in globalThis)
    throw new ServeError(
      "The server needs Node.js, and does not run on Bun. Start it with Node.js; in a test, createTestService needs no server.",
    );
  checkServeOptions(options);
  const { credentials = {}, https = false, providers: mode = "auto", warn = () => {} } = options;
  if (options.controlKey !== undefined) checkControlKey(options.controlKey);
  const isLocal = isOnlyHere(options);
  const isProxy = createIsProxy(options.trustProxy);
  const locate = options.geoip === undefined ? nowhere : await openGeoDatabase(options.geoip);
  const offers = createOffers({ mode, globals: credentials, isLocal });
  // What can't be reached makes no store.
  await checkPort(options);
  const metrics = options.metrics ? await (await import("./metrics.ts")).createMetrics() : undefined;

  let onTaken!: (error: Error) => void;
  const taken = new Promise<never>((_, reject) => (onTaken = reject));
  // A program may not handle it.
  taken.catch(() => undefined);
  const store = await openStore(options.store ?? "memory", { warn, onCommit: metrics?.onCommit, onTaken });
  try {
    // Of several servers on a database, one may have a wrong clock.
    const now = options.now ?? (() => store.now?.() ?? new Date());
    const check = async (planned: readonly InstanceRecord[]) => {
      await checkProviders(planned, offers);
      (await startWarnings(planned, offers, options, isLocal)).forEach(warn);
      return checkPort(options);
    };
    const content = await fillStore(store, options, { now: now(), isLocal, warn }, check);
    const { instances, found, ready: place } = content;

    const asked = { offers, globals: credentials };
    const reached = {
      providers: Object.fromEntries(
        PROVIDERS.map((name) => [name, describeProvider(name, instances, offers)]),
      ) as RunningServer["providers"],
      hostsInstead: Object.fromEntries(
        PROVIDERS.map((name) => [name, hostsInstead(name, instances, asked)]),
      ) as RunningServer["hostsInstead"],
      proxies: options.fetch === undefined ? await proxiesInUse(instances, asked, options.env ?? {}) : [],
    };
    const front = options.publicUrl ?? `${https ? "https" : "http"}://localhost:${place.port}`;
    const addresses = createAddresses(front, place.port, options.allowedHosts);
    const clientAddress = createClientAddress(isProxy, isLocal ? undefined : warn);
    const isFresh = found === undefined;
    const parts = { store, addresses, clientAddress, isLocal, isFresh, locate, metrics, now, offers, warn };
    const service = await createService({ ...options, ...parts });
    const { app, control, identitySecret } = service;

    const certificateFor = https ? hostNames(options, instances) : undefined;
    const listener = createListener(app, service.onBug);
    const listening = await listen(listener, place, { certificateFor, isProxy, warn }).catch((error: unknown) => {
      service.stop();
      throw error;
    });
    service.keepRetention();
    return {
      url: addresses.front,
      api_url: addresses.api,
      callback_url: addresses.front,
      port: place.port,
      bound: listening.bound,
      certificate: listening.certificate,
      store: store.location,
      found,
      ...reached,
      isLocal,
      identity_secret: identitySecret,
      control_key: control?.controlKey,
      dashboardLink: async () => control && dashboardLink(control.dashboardKeys, addresses, true),
      taken,
      get instances() {
        return service.instances();
      },
      unref: () => listening.unref(),
      async close({ drainMs = 0 } = {}) {
        service.stop();
        await listening.close({ drainMs, graceMs: GRACE_MS });
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The names that a certificate must have: no client trusts a wildcard right below a top-level domain. */
function hostNames({ publicUrl, allowedHosts = [] }: ServeOptions, instances: readonly InstanceRecord[]): string[] {
  const front = publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname;
  const below = ["api", ...instances.map(({ subdomain }) => subdomain)].map((label) => `${label}.${front}`);
  return [...new Set([front, "localhost", "127.0.0.1", "::1", ...below, ...allowedHosts])];
}

type Addresses = Pick<ServeOptions, "port" | "host" | "publicUrl">;

/** Where a server with these options would listen. @throws {PortUnavailable} */
export function checkPort(options: Addresses): Promise<ListenPlace> {
  return findPlace(options.port ?? DEFAULT_PORT, options.host, isLocalhost(options));
}

/** Whether users see the server at this machine. */
function isLocalhost({ publicUrl = "http://localhost" }: Addresses): boolean {
  return isLoopback(new URL(publicUrl).hostname);
}

/** Whether only this machine can reach the server. */
function isOnlyHere(options: Addresses): boolean {
  return isLocalhost(options) && isLoopback(options.host ?? "localhost");
}
