import { apiPathFault, isConfidential } from "../wire/http/address.ts";
import type { Fetch } from "../wire/http/fetch.ts";
import { PUBLISHABLE_KEY_PREFIX, SECRET_KEY_PREFIX } from "../wire/ids.ts";
import type { RequestOptions, Try } from "./request.ts";
import { ConfigError } from "./errors.ts";
import { atLeastOne, checkKey } from "./keys.ts";
import { checkFunctions, checkNames, type Names, type Now } from "./known-options.ts";

/** How long a call may take, unless its options or those of its client set another time. */
export const DEFAULT_TIMEOUT_MS = 10_000;

export interface ClientOptions extends Omit<RequestOptions, "signal"> {
  /**
   * `sk_…`; for everything but `instances.resolve` and `discovery`. Several while one is being replaced: the first is sent,
   * and `tokens.verifyLocal` accepts tokens of all.
   */
  readonly secretKey?: string | readonly string[] | undefined;
  /** `pk_…`; finds the instance's address if `baseUrl` is not given. */
  readonly publishableKey?: string | undefined;
  /** {base_url} of the instance. */
  readonly baseUrl?: string | undefined;
  /**
   * The address at which browsers reach the service, if it is not `baseUrl`: in a container `baseUrl` may be
   * `http://svc:7820`, and this `http://localhost:7820`. `signInUrl` begins with it. Default: `baseUrl`.
   */
  readonly publicUrl?: string | undefined;
  /** Sends the secret key over plain http to hosts other than loopback. Anyone on the way can then read it. */
  readonly insecure?: boolean | undefined;
  /** {api_url}, which resolves a publishable key. */
  readonly apiUrl?: string | undefined;
  /** A certificate to trust besides those of the known authorities, in PEM: that of a local server with `--https`. */
  readonly certificate?: string | undefined;
  /** Replaces undici, which sends the requests on Node.js, and the global `fetch`, which does elsewhere. */
  readonly fetch?: Fetch | undefined;
  /**
   * Sent as `User-Agent`, so that the service's operator can tell callers apart. Default: `svc-identity/<version> (client)`;
   * with a `fetch` of your own, at the edge and in browsers, what `fetch` sends by itself.
   */
  readonly userAgent?: string | undefined;
  /** Called after every try, for logs and metrics. */
  readonly onTry?: ((info: Try) => void) | undefined;
  /** Allows a secret key in a browser. Anyone who has the key can create tokens and delete users. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
  /** Replaces the clock in tests. */
  readonly now?: Now | undefined;
}

const NAMES: Names<ClientOptions> = {
  secretKey: true,
  publishableKey: true,
  baseUrl: true,
  publicUrl: true,
  insecure: true,
  apiUrl: true,
  certificate: true,
  fetch: true,
  userAgent: true,
  timeoutMs: true,
  retry: true,
  onTry: true,
  dangerouslyAllowBrowser: true,
  now: true,
};

/**
 * @throws {ConfigError} for unknown or malformed options, swapped keys, and a secret key in a browser or for an address that is
 * neither https nor loopback
 */
export function checkOptions(options: ClientOptions): void {
  checkNames("createClient", options, NAMES);
  checkFunctions(options, "fetch", "onTry", "now");
  const { secretKey, publishableKey, baseUrl, publicUrl, apiUrl, userAgent } = options;
  if (userAgent !== undefined && !/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(userAgent))
    throw new ConfigError("userAgent must be printable ASCII, such as billing/1.2");
  if (secretKey !== undefined)
    for (const key of atLeastOne([secretKey].flat())) checkKey("secretKey", key, SECRET_KEY_PREFIX);
  if (publishableKey !== undefined) checkKey("publishableKey", publishableKey, PUBLISHABLE_KEY_PREFIX);
  checkAddress("baseUrl", baseUrl);
  checkAddress("publicUrl", publicUrl);
  checkAddress("apiUrl", apiUrl);
  if (secretKey !== undefined && baseUrl !== undefined) checkConfidential("baseUrl", baseUrl, options);
  const isBrowser = "window" in globalThis && "document" in globalThis;
  if (isBrowser && secretKey !== undefined && !options.dangerouslyAllowBrowser)
    throw new ConfigError(
      "secretKey must not be used in a browser, where anyone can read it. Call the service from a server; in a test, set dangerouslyAllowBrowser",
    );
}

/** @throws {ConfigError} for an address that a secret key must not be sent to */
export function checkConfidential(option: string, address: string, { insecure }: ClientOptions): void {
  if (insecure || isConfidential(new URL(address))) return;
  throw new ConfigError(
    `${option} must be https: a secret key is not sent over plain http, except to loopback. Set insecure to allow it`,
  );
}

/** An address that may contain a password is not repeated. @throws {ConfigError} if it is not one of a service */
export function checkAddress(option: string, address: string | undefined): void {
  if (address === undefined) return;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ConfigError(`${option} must be an http or https address, such as https://acme.example.com`);
  if (url.username !== "" || url.password !== "")
    throw new ConfigError(`${option} must not contain a user name or password`);
  if (/[?#]/.test(address)) throw new ConfigError(`${option} must not contain a query or a fragment`);
  const fault = apiPathFault(address);
  if (fault !== undefined) throw new ConfigError(`${option} ${fault}`);
}
