import { readFile, stat } from "node:fs/promises";
import { types as known, type ClientBase, type ClientConfig } from "pg";
import type { Address, DatabaseHost } from "./address.ts";
import { sslOption } from "./tls.ts";

/** A server that was reached, and how to connect to it. */
export interface DatabaseEndpoint {
  readonly host: DatabaseHost;
  /** Whether a pooler between us gives each transaction another connection, as PgBouncer does. */
  readonly isPooler: boolean;
}

/** A role that may create objects in `public` must not be able to replace a function or an operator that we use. */
const SEARCH_PATH = "pg_catalog,pg_temp";
const IDLE_IN_TRANSACTION_MS = 60_000;

/**
 * Timeouts that older servers refuse as startup options. One would end a connection while a request takes it, the other
 * long lists and exports.
 */
const disableNewerTimeouts = (isLocal: boolean): string =>
  `SELECT set_config(name, '0', ${isLocal}) FROM pg_settings WHERE name IN ('idle_session_timeout', 'transaction_timeout')`;

/** The type's number in every PostgreSQL. */
const TIMESTAMPTZ = 1184;

/** Times are texts in the form of records. */
const types = {
  getTypeParser: ((oid: number, format: "text") =>
    oid === TIMESTAMPTZ ? isoOf : known.getTypeParser(oid, format)) as typeof known.getTypeParser,
};

/** @param limited whether statements are limited in time, as for requests */
export function configOf(address: Address, { host, isPooler }: DatabaseEndpoint, limited: boolean): ClientConfig {
  const own = Object.entries(settingsOf(address, limited)).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`,
  );
  return {
    host: host.host,
    port: host.port,
    database: address.database,
    user: address.username,
    password: () => passwordFor(address, host),
    ssl: sslOption(address.tls, host.host),
    application_name: address.application_name,
    options: [address.options ?? "", ...(isPooler ? [] : own)].join(" ").trim(),
    connectionTimeoutMillis: address.limits.connectTimeoutMs,
    keepAlive: true,
    // A statement is sent together with its settings.
    pipeline: isPooler,
    types,
  };
}

export async function prepare(client: ClientBase, { isPooler }: DatabaseEndpoint): Promise<void> {
  if (!isPooler) await client.query(disableNewerTimeouts(false));
}

/** The settings that every statement relies on, whatever the defaults of the role or the database. */
function settingsOf({ limits }: Address, limited: boolean): Record<string, string> {
  return {
    search_path: SEARCH_PATH,
    TimeZone: "UTC",
    DateStyle: "ISO, MDY",
    default_transaction_isolation: "read committed",
    // An acknowledged commit is on disk.
    synchronous_commit: "on",
    statement_timeout: String(limited ? limits.statementTimeoutMs : 0),
    idle_in_transaction_session_timeout: String(limited ? IDLE_IN_TRANSACTION_MS : 0),
  };
}

/** As `pg_settings` has it: a time is in milliseconds. */
export type Setting = { readonly name: string; readonly setting: string };

/** Reads settings back: a pooler may have dropped any of them. */
export const READ_SETTINGS = "SELECT name, setting FROM pg_catalog.pg_settings";

export function areApplied(address: Address, found: readonly Setting[]): boolean {
  const there = new Map(found.map(({ name, setting }) => [name, setting]));
  return Object.entries(settingsOf(address, true)).every(([name, value]) => there.get(name) === value);
}

/**
 * Statements that apply these settings to one transaction. A pooler refuses most settings when a connection is opened, and
 * a connection's own settings are lost, or affect others.
 */
export function localSettings(address: Address, limited: boolean): string {
  const set = Object.entries(settingsOf(address, limited)).map(
    ([name, value]) => `SET LOCAL ${name} TO ${name === "search_path" ? value : `'${value}'`};`,
  );
  return `${set.join(" ")} ${disableNewerTimeouts(true)}`;
}

/** PostgreSQL has no year 0: it is 1 BC. */
export function timestampOf(iso: string): string {
  return iso.startsWith("0000") ? `0001${iso.slice(4)} BC` : iso;
}

/** `2026-06-01 12:00:00.5+00`, as the server writes it in UTC, in the form of records. Earlier years have no such form. */
export function isoOf(text: string): string {
  const digits = text.slice(0, 4);
  const year = !text.endsWith(" BC") ? digits : digits === "0001" ? "0000" : `-${digits}`;
  const time = text.slice(11, text.indexOf("+"));
  return `${year}${text.slice(4, 10)}T${time.length === 8 ? `${time}.000` : time.padEnd(12, "0")}Z`;
}

/** `host:port:database:user:password`; a backslash makes the next character literal. */
const PASSWORD_LINE = /^((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):(.*)$/;

/**
 * The password for a host: the address's own or `PGPASSWORD`, else the one in the password file, in the form of libpq's
 * `.pgpass`. Like libpq it ignores a file that others can read. Only called if the server asks for one.
 */
export async function passwordFor(address: Address, host: DatabaseHost): Promise<string> {
  const found = address.password ?? (await passwordInFile(address, host).catch(() => undefined));
  // The server's own code for a wrong one.
  if (!found) throw Object.assign(new Error("the server asks for a password, and none was given"), { code: "28P01" });
  return found;
}

async function passwordInFile({ passwordFile, database, username }: Address, { host, port }: DatabaseHost) {
  if (process.platform !== "win32" && ((await stat(passwordFile)).mode & 0o077) !== 0) return undefined;
  const lines = (await readFile(passwordFile, "utf8")).split(/\r?\n/);
  const wanted = [host.startsWith("/") ? "localhost" : host, String(port), database, username];
  return lines
    .map((line) => PASSWORD_LINE.exec(line)?.map((field) => field.replace(/\\(.)/g, "$1")))
    .find((fields) => fields && wanted.every((value, n) => [value, "*"].includes(fields[n + 1]!)))?.[5];
}
