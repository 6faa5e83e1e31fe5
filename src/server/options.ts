import type { Fetch } from "../http/fetch.ts";
import type { Provider } from "../wire/providers.ts";
import type { ProvidersMode } from "../wire/serve.ts";
import type { AuditEntry } from "./http/audit-entry.ts";
import type { RequestEntry } from "./http/request-entry.ts";
import type { Credentials, ProviderKind } from "./providers/offers.ts";
import type { Retention } from "./retention.ts";
import type { SeedOptions } from "./seed/apply.ts";
import type { ClientRecord, InstanceRecord } from "./store/records.ts";

export interface ServeOptions extends SeedOptions {
  /** Default 7820. 0 for any free port. A taken port is an error, and never replaced by another. */
  port?: number | undefined;
  /** Default: loopback only, by IPv4 and IPv6. */
  host?: string | undefined;
  /** The path of a `db.json`, `postgres://user@host/database`, or `memory`, which is the default. */
  store?: string | undefined;
  /** The front door's address. Default `http://localhost:<port>`. */
  publicUrl?: string | undefined;
  /** Additional host names to answer for. */
  allowedHosts?: readonly string[] | undefined;
  /** Whether to refuse every address that `redirect_uris` does not list, as where others can reach the server. */
  strict?: boolean | undefined;
  /** How providers without credentials are treated. Default `auto`: simulated on loopback, otherwise off. */
  providers?: ProvidersMode | undefined;
  /** Used if an instance has none of its own. */
  credentials?: Credentials | undefined;
  /** Clients of applications at the simulated providers, which belong to the first instance. */
  clients?: readonly ClientRecord[] | undefined;
  /** Peers, by address or network, whose `X-Forwarded-For` is trusted. */
  trustProxy?: readonly string[] | undefined;
  /** The path of a MaxMind DB file. */
  geoip?: string | undefined;
  https?: boolean | undefined;
  /** Whether to serve metrics for Prometheus at `/__svc/metrics`, for every host and without a key. */
  metrics?: boolean | undefined;
  /** How long sessions are kept. Default: until their user is deleted. */
  retention?: Retention | undefined;
  now?: (() => Date) | undefined;
  /** How long a provider may take for all requests of a sign-in, in milliseconds. Default 10,000. */
  providerTimeoutMs?: number | undefined;
  /** Whether to serve the control API. Default: only if no other machine can reach the server. */
  control?: boolean | undefined;
  /** The control API's key: `ctl_` and 32 random characters or more. Default: a new one at each start. */
  controlKey?: string | undefined;
  /** Reaches the real providers. Default: by way of the proxy that `env` names for an address. */
  fetch?: Fetch | undefined;
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are looked up. Default: nowhere. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Called when instances or their keys may have changed, through this server or another on the store. */
  onInstances?: (() => void) | undefined;
  onRequest?: ((entry: RequestEntry) => void) | undefined;
  /** Called with what was deleted, revoked, replaced or imported, and who asked for it. */
  onAudit?: ((entry: AuditEntry) => void) | undefined;
  /** Called before `reset` deletes more users than the demo has. What it throws ends the start, and all stays as it is. */
  onReset?: ((store: string, users: number) => Promise<void>) | undefined;
  /** Called with problems that do not stop the server. They contain no secret. */
  warn?: ((message: string) => void) | undefined;
}
export interface RunningServer {
  /** The front door. */
  readonly url: string;
  readonly api_url: string;
  readonly callback_url: string;
  readonly port: number;
  readonly bound: readonly string[];
  readonly store: string;
  /** What the store had at the start: since when, in ISO 8601, and how many users. Undefined if it was empty. */
  readonly found: { readonly since: string; readonly users: number } | undefined;
  /** With `https`: the self-signed certificate, in PEM. */
  readonly certificate: string | undefined;
  /** Which of the providers are real, simulated or off. */
  readonly providers: Readonly<Record<Provider, ProviderKind>>;
  /** Hosts that are asked instead of a provider's own. */
  readonly hostsInstead: Readonly<Partial<Record<Provider, readonly string[]>>>;
  /** The proxies through which real providers are asked, in words. */
  readonly proxies: readonly string[];
  /** Whether only this machine can reach it. */
  readonly isLocal: boolean;
  /** Proves at `GET /__svc/identity` that this server answers. */
  readonly identity_secret: string;
  /** The control API's key, which allows everything; undefined without a control API. */
  readonly control_key: string | undefined;
  /** A link that opens the dashboard once, within ten minutes; undefined without a control API. */
  dashboardLink(): Promise<string | undefined>;
  /** Rejects when another process has taken the file store: then nothing more is written, and you should close the server. */
  readonly taken: Promise<never>;
  /** The current instances, with their keys. */
  readonly instances: readonly (InstanceRecord & { url: string })[];
  /** Lets the process end while the server runs, as `unref` of Node's own servers does. */
  unref(): void;
  /**
   * Answers pending requests, for at most ten seconds, and closes the store.
   * @param options.drainMs how long connections are still accepted before, with readiness 503; default 0
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}
