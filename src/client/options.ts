import { optionProblem } from "../text/suggestion.ts";
import { ConfigError } from "./errors.ts";
import { credentialKind, PUBLISHABLE_KEY_PREFIX, SECRET_KEY_PREFIX } from "../wire/ids.ts";
import { apiPathFault, isConfidential, urlFrom } from "../http/address.ts";
import type { Fetch } from "../http/fetch.ts";
import type { RequestOptions, Try } from "./request.ts";

/** The names of all options. The compiler keeps it complete. */
export type Names<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Otherwise a misspelt option would be ignored, and with it what it protects from.
 * @param of what takes the options, such as `createClient`
 * @param next the options of the argument after the page, if these are of a page
 * @throws {ConfigError} that names the unknown option, and if the options are missing
 */
export function checkNames<Options extends object>(
  of: string,
  options: Options,
  known: Names<Options>,
  next: object = {},
): void {
  const problem = optionProblem(of, options, Object.keys(known));
  if (problem === undefined) return;
  const misplaced = Object.keys(options ?? {}).find((name) => Object.hasOwn(next, name));
  if (misplaced === undefined) throw new ConfigError(problem);
  throw new ConfigError(`Unknown option of ${of}: ${misplaced}. Pass it in the next argument, after the page`);
}

/** Returns the time: a `Date`, or milliseconds since 1970. `() => new Date()`, `Date.now` and a test clock's `now` all fit. */
export type Now = () => Date | number;

/** In milliseconds. @throws {ConfigError} for anything else than a time, by which every token would be current */
export function timeOf(now: Now): number {
  const time = Number(now());
  if (Number.isFinite(time)) return time;
  throw new ConfigError("now must return a Date or milliseconds since 1970, as Date.now and () => new Date() do");
}

/** A program without types may pass anything. @throws {ConfigError} for what is set and is not a function */
export function checkFunctions<Name extends string>(
  options: { readonly [N in Name]?: unknown },
  ...names: readonly Name[]
): void {
  const wrong = names.find((name) => options[name] !== undefined && typeof options[name] !== "function");
  if (wrong !== undefined) throw new ConfigError(`${wrong} must be a function`);
}

/** Those of HS256, whose key has 256 bits at least (RFC 7518, 3.2). */
const MIN_SIGNING_KEY_LENGTH = 32;

type KeyPrefix = typeof SECRET_KEY_PREFIX | typeof PUBLISHABLE_KEY_PREFIX;
const KEY_KINDS: Readonly<Record<KeyPrefix, string>> = { sk_: "secret", pk_: "publishable" };

/**
 * Checks the form of a key.
 * @param name what the caller calls the key, which itself is not repeated
 * @throws {ConfigError}
 */
export function checkKey(name: string, key: unknown, prefix: KeyPrefix): asserts key is string {
  if (key === undefined || key === "")
    throw new ConfigError(`${name} is empty: it must begin with ${prefix}. Is its variable set?`);
  // A program without types may pass anything.
  const text = typeof key === "string" ? key : "";
  if (text.startsWith(prefix) && /^[\x21-\x7e]+$/.test(text)) return;
  if (text !== text.trim())
    throw new ConfigError(`${name} has a space or a line's end around it. Remove it, such as by trim()`);
  const kind = text.startsWith(prefix) ? undefined : credentialKind(text);
  if (kind === undefined) throw new ConfigError(`${name} must begin with ${prefix} and contain no spaces`);
  throw new ConfigError(`${name} is ${kind}: use the ${KEY_KINDS[prefix]} key, which begins with ${prefix}`);
}

/** The same for a secret key that is to verify tokens. @throws {ConfigError} also if it is too short for that */
export function checkSigningKey(name: string, key: unknown): asserts key is string {
  checkKey(name, key, SECRET_KEY_PREFIX);
  if (key.length < MIN_SIGNING_KEY_LENGTH)
    throw new ConfigError(`${name} must have at least ${MIN_SIGNING_KEY_LENGTH} characters to verify tokens`);
}

/** @throws {ConfigError} for a key that `check` refuses, and for no key as for an empty one */
export function checkSecretKeys(
  given: string | readonly string[],
  check: (name: string, key: unknown) => void = checkSigningKey,
): void {
  const keys = [given].flat();
  for (const key of keys.length > 0 ? keys : [""]) check("secretKey", key);
}

export const REQUEST_OPTIONS: Names<RequestOptions> = { signal: true, timeoutMs: true, retry: true };

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
  /** Replaces the clock, in tests: for tokens, for a `Retry-After`, and for how long an instance is remembered. */
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
export function checkClientOptions(options: ClientOptions): void {
  checkNames("createClient", options, NAMES);
  checkFunctions(options, "fetch", "onTry", "now");
  const { secretKey, publishableKey, baseUrl, publicUrl, apiUrl, userAgent } = options;
  if (userAgent !== undefined && !/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(userAgent))
    throw new ConfigError("userAgent must be printable ASCII, such as billing/1.2");
  if (secretKey !== undefined) checkSecretKeys(secretKey, (name, key) => checkKey(name, key, SECRET_KEY_PREFIX));
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
  const url = urlFrom(address);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ConfigError(`${option} must be an http or https address, such as https://acme.example.com`);
  if (url.username !== "" || url.password !== "")
    throw new ConfigError(`${option} must not contain a user name or password`);
  if (/[?#]/.test(address)) throw new ConfigError(`${option} must not contain a query or a fragment`);
  const fault = apiPathFault(address);
  if (fault !== undefined) throw new ConfigError(`${option} ${fault}`);
}
