import { isConfidential, isLoopback } from "../wire/http/address.ts";
import { PROVIDERS } from "../wire/providers.ts";
import { enumerated } from "../wire/text/suggestion.ts";
import { createService } from "./service.ts";
import { checkControlKey, dashboardLink } from "./control/keys.ts";
import { ServeError } from "./errors.ts";
import { withoutRequest } from "./http/audit-entry.ts";
import { createClientAddress, createIsProxy, type IsProxy } from "./http/client-address.ts";
import { listen } from "./http/listen.ts";
import { createListener } from "./http/listener.ts";
import { createAddresses } from "./instances/addresses.ts";
import type { Metrics } from "./metrics.ts";
import type { RunningServer, ServeOptions } from "./options.ts";
import { checkPort, isLocalhost } from "./port.ts";
import { hostsInstead, proxiesInUse } from "./providers/connections.ts";
import { createOffers, defaultFault, describeProvider, type Offers } from "./providers/offers.ts";
import { demoOf, demoUsers, fill, fillingOf } from "./seed/apply.ts";
import { nowhere, openGeoDatabase, type LocateIp } from "./sign-in/geo.ts";
import { checkOptions } from "./settings.ts";
import { redirectWarnings } from "./sign-in/redirect-rule.ts";
import { openStore } from "./store/open.ts";
import type { InstanceRecord } from "./store/records.ts";
import { StoreNotEmpty, type Store, type StoreRefused } from "./store/store.ts";
import { bugWarner } from "./bug-warner.ts";

export type { RunningServer, ServeOptions };

const GRACE_MS = 10_000;

/**
 * Starts the service: the proxy, and the three providers simulated behind it.
 * @throws {ServeError | PortUnavailable | StoreRefused | SeedError}
 */
export async function serve(options: ServeOptions = {}): Promise<RunningServer> {
  if ("Bun" in globalThis)
    throw new ServeError(
      "The server needs Node.js, and does not run on Bun. Start it with Node.js; in a test, createTestService needs no server.",
    );
  checkOptions(options);
  const { warn = () => {} } = options;
  const isProxy = createIsProxy(options.trustProxy);
  const locate = options.geoip === undefined ? nowhere : await openGeoDatabase(options.geoip);
  // What can't be reached makes no store.
  await checkPort(options);
  const metrics = options.metrics ? await (await import("./metrics.ts")).createMetrics() : undefined;
  let onTaken!: (error: StoreRefused) => void;
  const taken = new Promise<never>((_, reject) => (onTaken = reject));
  // A program may not handle it.
  taken.catch(() => undefined);
  const store = await openStore(options.store ?? "memory", { warn, onCommit: metrics?.onCommit, onTaken });
  try {
    return Object.assign(await serveStore(store, options, isProxy, locate, metrics), { taken });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serveStore(
  store: Store,
  options: ServeOptions,
  isProxy: IsProxy,
  locate: LocateIp,
  metrics: Metrics | undefined,
): Promise<Omit<RunningServer, "taken">> {
  const { https = false, warn = () => {} } = options;
  // Of several servers on a database, one may have a wrong clock.
  const now = options.now ?? (() => store.now?.() ?? new Date());
  const { credentials = {}, providers = "auto" } = options;
  const isLocal = isLocalhost(options) && isLoopback(options.host ?? "localhost");
  const filling = await fillingOf(store, options, { now: now(), isLocal, warn });
  const instances = filling?.records.instances ?? (await store.instances());
  const found = filling ? undefined : await contentOf(store, instances);
  const offers = createOffers({ mode: providers, globals: credentials, isLocal });
  await checkProviders(instances, offers);
  (await startWarnings(instances, offers, options, isLocal)).forEach(warn);
  if (options.controlKey !== undefined) checkControlKey(options.controlKey);

  const place = await checkPort(options);
  // Records are replaced only now, when little can prevent the start.
  try {
    const { users: count } = filling && options.reset ? await store.counts() : { users: 0 };
    if (count > (await demoUsers())) await options.onReset?.(store.location, count);
    if (filling) await fill(store, filling, options.reset === true);
    if (count > 0) options.onAudit?.(withoutRequest("start", { action: "records_reset", count }));
  } catch (error) {
    if (!(error instanceof StoreNotEmpty)) throw error;
    if ((await store.instances()).length === 0)
      throw new ServeError(`${store.location} contains records but no instances. Start over with --reset.`);
    // Another server has filled the store since, so its records count.
    return serveStore(store, options, isProxy, locate, metrics);
  }
  const addresses = createAddresses(
    options.publicUrl ?? `${https ? "https" : "http"}://localhost:${place.port}`,
    place.port,
    options.allowedHosts,
  );
  const service = await createService({
    ...options,
    store,
    addresses,
    clientAddress: createClientAddress(isProxy, isLocal ? undefined : warn),
    isLocal,
    isFresh: filling !== undefined,
    locate,
    metrics,
    now,
    offers,
    warn,
  });
  const { control } = service;
  // Last: what fails before it leaves nothing that keeps the process alive.
  const listening = await listen(createListener(service.app, bugWarner(warn)), place, {
    certificateFor: https ? hostNames(options, instances) : undefined,
    isProxy,
    warn,
  }).catch((error: unknown) => {
    service.stop();
    throw error;
  });
  const parts = { offers, globals: credentials };
  return {
    url: addresses.front,
    api_url: addresses.api,
    callback_url: addresses.front,
    port: place.port,
    bound: listening.bound,
    certificate: listening.certificate,
    store: store.location,
    found,
    providers: Object.fromEntries(
      PROVIDERS.map((name) => [name, describeProvider(name, instances, offers)]),
    ) as RunningServer["providers"],
    hostsInstead: Object.fromEntries(
      PROVIDERS.map((name) => [name, hostsInstead(name, instances, parts)]),
    ) as RunningServer["hostsInstead"],
    proxies: options.fetch === undefined ? await proxiesInUse(instances, parts, options.env ?? {}) : [],
    isLocal,
    identity_secret: service.identitySecret,
    control_key: control?.controlKey,
    dashboardLink: async () => control && dashboardLink(control.dashboardKeys, addresses, true),
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
}

async function contentOf(store: Store, instances: readonly InstanceRecord[]): Promise<RunningServer["found"]> {
  const [since = ""] = instances.map(({ created_at }) => created_at).toSorted();
  return { since, users: (await store.counts()).users };
}

/** The names that a certificate must have: no client trusts a wildcard right below a top-level domain. */
function hostNames({ publicUrl, allowedHosts = [] }: ServeOptions, instances: readonly InstanceRecord[]): string[] {
  const front = publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname;
  const below = ["api", ...instances.map(({ subdomain }) => subdomain)].map((label) => `${label}.${front}`);
  return [...new Set([front, "localhost", "127.0.0.1", "::1", ...below, ...allowedHosts])];
}

/** @throws {ServeError} if an instance's default provider has no credentials and is not simulated */
export async function checkProviders(instances: readonly InstanceRecord[], offers: Offers): Promise<void> {
  const fault = defaultFault(instances, offers, " in the seed");
  if (fault === undefined) return;
  const isReal = offers.mode === "real";
  const why = isReal ? "--providers real" : "This server can be reached from elsewhere, where no provider is simulated";
  const only = isReal ? [] : ["For tests only: with --providers simulated, anyone can sign in as anyone."];
  throw new ServeError([`${why}: ${fault}`, ...(await demoHint(instances)), ...only].join("\n"));
}

export async function startWarnings(
  instances: readonly InstanceRecord[],
  offers: Offers,
  { publicUrl, allowedHosts = [], strict = false }: Pick<ServeOptions, "publicUrl" | "allowedHosts" | "strict">,
  isLocal: boolean,
): Promise<string[]> {
  const warnings = redirectWarnings(instances, isLocal && !strict);
  if (isLocal) {
    const foreign = allowedHosts.filter((name) => !isLoopback(name));
    if (foreign.length > 0 && offers.canSimulate)
      warnings.push(
        `If a proxy lets others reach this server as ${enumerated(foreign, "or")}, set --public-url. Without it, providers are simulated: anyone can sign in as anyone.`,
      );
    return warnings;
  }
  warnings.push(...(await demoHint(instances)));
  if (offers.canSimulate)
    warnings.push("Providers are simulated: anyone who can reach this server can sign in as anyone.");
  if (publicUrl === undefined)
    warnings.push(
      "Users on other machines can't sign in without --public-url. Set it to the address that they see, such as https://auth.example.com.",
    );
  else if (!isConfidential(new URL(publicUrl)))
    warnings.push(
      `Tokens travel unencrypted to and from ${publicUrl}. Use an https address, with --https or a load balancer that ends TLS.`,
    );
  return warnings;
}

async function demoHint(instances: readonly InstanceRecord[]): Promise<string[]> {
  const names = (await demoOf(instances)).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    `${enumerated(names, "and")} are the demo's instances. Create your own with npx svc-identity init, then start once with --reset, which deletes all records.`,
  ];
}
