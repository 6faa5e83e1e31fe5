import { isObject } from "../../wire/text/json.ts";
import { isProvider, isSessionProvider, type Provider, type SessionProvider } from "../../wire/providers.ts";

/** The kinds of columns: the type in PostgreSQL, and the check of a value. */
interface Kind<Value> {
  readonly sql: "text" | "boolean" | "timestamptz(3)" | "json";
  is(value: unknown): value is Value;
}

/** An instance's own credentials at a provider. */
export interface ConnectionRecord {
  client_id: string;
  client_secret: string;
  /** Addresses that replace the provider's own, by the names of its `endpoints`. */
  endpoints?: Record<string, string>;
}

/** A secret key that was replaced. Until it expires, it identifies its instance and verifies tokens. It signs nothing. */
export interface OldKey {
  secret_key: string;
  /** As a `time`. */
  expires_at: string;
}

type ByProvider<Value> = Partial<Record<Provider, Value>>;

export const KINDS = {
  text: { sql: "text", is: isText } satisfies Kind<string>,
  provider: { sql: "text", is: isProvider } satisfies Kind<Provider>,
  session_provider: { sql: "text", is: isSessionProvider } satisfies Kind<SessionProvider>,
  boolean: { sql: "boolean", is: (value) => typeof value === "boolean" } satisfies Kind<boolean>,
  /** ISO 8601 in UTC with milliseconds, which sorts as text. */
  time: { sql: "timestamptz(3)", is: isText } satisfies Kind<string>,
  texts: {
    sql: "json",
    is: (value): value is string[] => Array.isArray(value) && value.every(isText),
  } satisfies Kind<string[]>,
  object: { sql: "json", is: isObject } satisfies Kind<Record<string, unknown>>,
  connections: {
    sql: "json",
    is: (value): value is ByProvider<ConnectionRecord> => isByProvider(value, isConnection),
  } satisfies Kind<ByProvider<ConnectionRecord>>,
  old_keys: {
    sql: "json",
    is: (value): value is OldKey[] => Array.isArray(value) && value.every(isOldKey),
  } satisfies Kind<OldKey[]>,
  /** A persona's accounts at the simulated providers, in the form of each provider. */
  accounts: {
    sql: "json",
    is: (value): value is ByProvider<Record<string, unknown>> => isByProvider(value, isObject),
  } satisfies Kind<ByProvider<Record<string, unknown>>>,
} as const;

export type KindName = keyof typeof KINDS;
export type ValueOf<Name extends KindName> = (typeof KINDS)[Name] extends Kind<infer Value> ? Value : never;

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isByProvider<Value>(
  value: unknown,
  isOne: (part: unknown) => part is Value,
): value is Partial<Record<Provider, Value>> {
  return isObject(value) && Object.entries(value).every(([name, part]) => isProvider(name) && isOne(part));
}

function isConnection(value: unknown): value is ConnectionRecord {
  if (!isObject(value)) return false;
  const { client_id, client_secret, endpoints, ...others } = value;
  const isWhole = isText(client_id) && isText(client_secret) && Object.keys(others).length === 0;
  return isWhole && (endpoints === undefined || (isObject(endpoints) && Object.values(endpoints).every(isText)));
}

function isOldKey(value: unknown): value is OldKey {
  if (!isObject(value)) return false;
  const { secret_key, expires_at, ...others } = value;
  return isText(secret_key) && isText(expires_at) && Object.keys(others).length === 0;
}
