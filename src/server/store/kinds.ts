import { isObject } from "../../text/json.ts";
import { isProvider, isSessionProvider, PROVIDERS, SESSION_PROVIDERS, type Provider } from "../../wire/providers.ts";

/** The kinds of columns: what a value must be, the type in PostgreSQL, and the check of a value. */
interface Kind<Value> {
  readonly words: string;
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

/** An application's own client at a simulated provider. */
export interface ClientRecord {
  provider: Provider;
  client_id: string;
  /** Undefined for a public client (RFC 6749, 2.1). */
  client_secret?: string | undefined;
  redirect_uris: string[];
}

/** A secret key that was replaced. Until it expires, it identifies its instance and verifies tokens. It signs nothing. */
export interface OldKey {
  secret_key: string;
  /** As a `time`. */
  expires_at: string;
}

export const KINDS = {
  text: kind("text", "text", isText),
  provider: kind(`one of ${PROVIDERS.join(", ")}`, "text", isProvider),
  session_provider: kind(`one of ${SESSION_PROVIDERS.join(", ")}`, "text", isSessionProvider),
  boolean: kind("true or false", "boolean", (value) => typeof value === "boolean"),
  /** ISO 8601 in UTC with milliseconds, which sorts as text. */
  time: kind("a time such as 2026-01-31T23:59:59.000Z", "timestamptz(3)", isText),
  texts: kind("a list of texts", "json", isTexts),
  object: kind("an object", "json", isObject),
  connections: kind("an object of credentials by provider", "json", (value) => isByProvider(value, isConnection)),
  old_keys: kind(
    "a list of keys with their expiry",
    "json",
    (value): value is OldKey[] => Array.isArray(value) && value.every(isOldKey),
  ),
  clients: kind(
    "a list of clients",
    "json",
    (value): value is ClientRecord[] => Array.isArray(value) && value.every(isClient),
  ),
  /** A persona's accounts at the simulated providers, in the form of each provider. */
  accounts: kind("an object of accounts by provider", "json", (value) => isByProvider(value, isObject)),
};

export type KindName = keyof typeof KINDS;
export type ValueOf<Name extends KindName> = (typeof KINDS)[Name] extends Kind<infer Value> ? Value : never;

function kind<Value>(words: string, sql: Kind<Value>["sql"], is: (value: unknown) => value is Value): Kind<Value> {
  return { words, sql, is };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isByProvider<Value>(
  value: unknown,
  isOne: (part: unknown) => part is Value,
): value is Partial<Record<Provider, Value>> {
  return isObject(value) && Object.entries(value).every(([name, part]) => isProvider(name) && isOne(part));
}

function isConnection(value: unknown): value is ConnectionRecord {
  const isEndpoints = (part: unknown): boolean => isObject(part) && Object.values(part).every(isText);
  return consistsOf(value, {
    client_id: isText,
    client_secret: isText,
    endpoints: (part) => part === undefined || isEndpoints(part),
  });
}

function isClient(value: unknown): value is ClientRecord {
  const isSecret = (part: unknown): boolean => part === undefined || isText(part);
  const parts = { provider: isProvider, client_id: isText, client_secret: isSecret, redirect_uris: isTexts };
  return consistsOf(value, parts);
}

function isOldKey(value: unknown): value is OldKey {
  return consistsOf(value, { secret_key: isText, expires_at: isText });
}

/** Whether an object has these parts, and no others. */
function consistsOf(value: unknown, parts: Readonly<Record<string, (part: unknown) => boolean>>): boolean {
  if (!isObject(value) || !Object.keys(value).every((name) => Object.hasOwn(parts, name))) return false;
  return Object.entries(parts).every(([name, is]) => is(value[name]));
}
