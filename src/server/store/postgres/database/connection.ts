import { readFile, stat } from "node:fs/promises";
import { type Socket, connect as dial } from "node:net";
import postgres, { type Sql } from "postgres";
import type { Address, Host } from "./address.ts";
import { sslOption } from "./tls.ts";
import { once } from "node:events";
import { clearTimeout, setTimeout } from "node:timers";

export type Client = Sql<{ moment: string }>;

/** A server that was reached, and how to connect to it. */
export interface Endpoint {
  readonly host: Host;
  /** Whether a pooler between us gives each transaction another connection, as PgBouncer does. */
  readonly isPooler: boolean;
  /** Which of `NEWER_TIMEOUTS` it has. */
  readonly timeouts: readonly string[];
}

/** A role that may create objects in `public` must not be able to replace a function or an operator that we use. */
const SEARCH_PATH = "pg_catalog, pg_temp";
const IDLE_IN_TRANSACTION_MS = 60_000;
/**
 * Timeouts that older servers refuse as startup parameters. One would end a connection while a request takes it, the other
 * long lists and exports.
 */
const NEWER_TIMEOUTS: readonly string[] = ["idle_session_timeout", "transaction_timeout"];
/** The type's number in every PostgreSQL. */
const TIMESTAMPTZ = 1184;

/**
 * A client with one connection, which is opened on demand. After it is lost, every statement fails: `postgres` would open
 * it again with what was not sent yet, or wait for it forever (porsager/postgres#1193).
 * @param limited whether statements are limited in time, as for requests
 * @param onclose called when the connection is lost, also when it was idle
 */
export async function connect(
  address: Address,
  endpoint: Endpoint,
  limited: boolean,
  onclose: () => void = () => {},
): Promise<Client> {
  const { host } = endpoint;
  const { connectTimeoutMs } = address.limits;
  let isOpened = false;
  // Its types don't know this option.
  const socket = (): Promise<Socket> => {
    if (isOpened) throw Object.assign(new Error("the connection was closed"), { code: "CONNECTION_CLOSED" });
    isOpened = true;
    return openSocket(host, connectTimeoutMs);
  };
  return postgres({
    ...({ socket } as object),
    // It connects by the socket, and names these in its errors.
    host: host.host,
    port: host.port,
    database: address.database,
    username: address.username,
    password: (await passwordFor(address, host)) ?? "",
    ssl: sslOption(address.tls, host.host),
    connect_timeout: connectTimeoutMs / 1000,
    // Not needed; and a connection that is lost meanwhile would end the process (porsager/postgres#1192).
    fetch_types: false,
    prepare: !endpoint.isPooler,
    onnotice: () => {},
    types: { moment: { to: TIMESTAMPTZ, from: [TIMESTAMPTZ], serialize: String, parse: isoOf } },
    connection: {
      application_name: address.application_name,
      ...((address.options === undefined ? {} : { options: address.options }) as object),
      ...((endpoint.isPooler ? {} : settingsFor(address, limited, endpoint.timeouts)) as object),
    },
    max: 1,
    // A transaction may last longer.
    max_lifetime: null,
    onclose,
  });
}

/** The settings that every statement relies on, whatever the defaults of the role or the database. */
function settingsFor({ limits }: Address, limited = true, timeouts: readonly string[] = []): Record<string, string> {
  return {
    search_path: SEARCH_PATH,
    TimeZone: "UTC",
    DateStyle: "ISO, MDY",
    default_transaction_isolation: "read committed",
    // An acknowledged commit is on disk.
    synchronous_commit: "on",
    // With its unit, because `postgres` leaves out a bare zero.
    statement_timeout: `${limited ? limits.statementTimeoutMs : 0}ms`,
    idle_in_transaction_session_timeout: `${limited ? IDLE_IN_TRANSACTION_MS : 0}ms`,
    ...Object.fromEntries(timeouts.map((name) => [name, "0ms"])),
  };
}

/** As `pg_settings` has it: a time is in milliseconds. */
export type Setting = { readonly name: string; readonly setting: string };

/** Reads settings back: a pooler may have dropped any of them. */
export const READ_SETTINGS = "SELECT name, setting FROM pg_catalog.pg_settings";

export function timeoutsOf(found: readonly Setting[]): string[] {
  return NEWER_TIMEOUTS.filter((timeout) => found.some(({ name }) => name === timeout));
}

export function areApplied(address: Address, found: readonly Setting[]): boolean {
  const there = new Map(found.map(({ name, setting }) => [name, setting]));
  return Object.entries(settingsFor(address)).every(([name, value]) => there.get(name) === value.replace(/ms$/, ""));
}

/**
 * Statements that apply these settings to one transaction. A pooler refuses most settings when a connection is opened, and
 * a connection's own settings are lost, or affect others.
 */
export function localSettings(address: Address, limited = true): string {
  return Object.entries(settingsFor(address, limited))
    .map(([name, value]) => `SET LOCAL ${name} TO ${name === "search_path" ? value : `'${value}'`};`)
    .join(" ");
}

/** A connected socket. @throws an error with a code: the system's, or `CONNECT_TIMEOUT` */
async function openSocket({ host, port }: Host, timeoutMs: number): Promise<Socket> {
  const path = `${host}/.s.PGSQL.${port}`;
  const socket = dial(host.startsWith("/") ? { path } : { host, port, noDelay: true });
  const tooLate = Object.assign(new Error(`${host}:${port} could not be reached in time`), { code: "CONNECT_TIMEOUT" });
  const timer = setTimeout(() => socket.destroy(tooLate), timeoutMs);
  try {
    await once(socket, "connect");
  } finally {
    clearTimeout(timer);
  }
  // `postgres` reads the name that TLS asks for here.
  return Object.assign(socket, { host });
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
 * `.pgpass`. Like libpq it ignores a file that others can read.
 */
export async function passwordFor(address: Address, { host, port }: Host): Promise<string | undefined> {
  if (address.password !== undefined) return address.password;
  try {
    if (process.platform !== "win32" && ((await stat(address.passwordFile)).mode & 0o077) !== 0) return undefined;
    const lines = (await readFile(address.passwordFile, "utf8")).split(/\r?\n/);
    const wanted = [host.startsWith("/") ? "localhost" : host, String(port), address.database, address.username];
    return lines
      .map((line) => PASSWORD_LINE.exec(line)?.map((field) => field.replace(/\\(.)/g, "$1")))
      .find((fields) => fields && wanted.every((value, n) => [value, "*"].includes(fields[n + 1]!)))?.[5];
  } catch {
    return undefined;
  }
}
