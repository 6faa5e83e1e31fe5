/** The providers a user can sign in through (spec, "What the service does"), and how people write their names. */
export const PROVIDER_TITLES = { google: "Google", github: "GitHub", twitter: "Twitter" } as const;
export type Provider = keyof typeof PROVIDER_TITLES;
export const PROVIDERS: readonly [Provider, ...Provider[]] = Object.keys(PROVIDER_TITLES) as [Provider, ...Provider[]];
/** Their accounts have no e-mail address; users get a placeholder instead. */
export const PROVIDERS_WITHOUT_EMAIL: readonly Provider[] = ["twitter"];
/** `password` occurs on sessions, `email` in the token claim; neither is a provider to sign in through. */
export const SESSION_PROVIDERS = [...PROVIDERS, "password"] as const;
export type SessionProvider = (typeof SESSION_PROVIDERS)[number];
export type TokenProvider = Provider | "email";

/** `google, github and twitter` */
export function enumerated(names: readonly string[], conjunction: "and" | "or"): string {
  const last = names.at(-1) ?? "";
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} ${conjunction} ${last}` : last;
}

export const SECRET_KEY_HEADER = "x-service-secret-key";
export const PUBLISHABLE_KEY_HEADER = "x-service-publishable-key";
/** On every answer to a secret key: the subdomain and the id of its instance, with a space between. */
export const INSTANCE_HEADER = "svc-instance";
/** Identifies a browser to a simulated provider. Not secret, and unrelated to the user. */
export const BROWSER_COOKIE = "svc_browser";
export const SECRET_KEY_PREFIX = "sk_";
export const PUBLISHABLE_KEY_PREFIX = "pk_";
export const SESSION_ID_PREFIX = "svc_session_";
export const PUBLISHABLE_KEY = /^pk_[\w-]{8,}$/;
/** 32 bytes or more behind the prefix: it signs tokens with HMAC-SHA-256 (RFC 8725, 3.5). */
export const SECRET_KEY = /^sk_[\w-]{32,}$/;
/** A label of a host name. */
export const SUBDOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** From the least to the most important. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * How providers without credentials are treated. `auto`: simulated if only this machine can reach the server, otherwise
 * off. `real`: off. `simulated`: every provider is simulated, even with credentials.
 */
export const PROVIDERS_MODES = ["auto", "real", "simulated"] as const;
export type ProvidersMode = (typeof PROVIDERS_MODES)[number];

/** `iss` of every token. */
export const ISSUER = "svc";
export const TOKEN_LIFETIME_SECONDS = 3600;
export const STATE_LIFETIME_SECONDS = 600;
/** How long a client may remember an instance's address (spec, "Limits"). */
export const INSTANCE_CACHE_SECONDS = 60;
export const MAX_TOKEN_BYTES = 8192;
export const MAX_BODY_BYTES = 65_536;
export const MAX_PAGE_SIZE = 1000;

/** S-V-C on a phone. */
export const DEFAULT_PORT = 7820;

/** What `svc serve` reads in its directory, and `svc init` writes. */
export const CONFIG_FILE = "svc.config.json";

/** A UUID in its canonical, lower-case form. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isProvider(value: unknown): value is Provider {
  return (PROVIDERS as readonly unknown[]).includes(value);
}

export function isSessionProvider(value: unknown): value is SessionProvider {
  return (SESSION_PROVIDERS as readonly unknown[]).includes(value);
}

/** A provider's name as people write it. Other names, such as `password`, are returned unchanged. */
export function providerTitle(name: string): string {
  return isProvider(name) ? PROVIDER_TITLES[name] : name;
}

/** Whether text is a UUID in its canonical form: in lower case. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** `svc_session_<uuid>`. */
export function isSessionId(value: string): boolean {
  return value.startsWith(SESSION_ID_PREFIX) && isUuid(value.slice(SESSION_ID_PREFIX.length));
}
