import postgres, { type Sql } from "postgres";
import type { Address, Host } from "./address.ts";
import { passwordFor } from "./password.ts";
import { isoOf } from "./rows.ts";
import { sslOption } from "./tls.ts";

export type Client = Sql<{ moment: string }>;

/** A server that was reached, and how to connect to it. */
export interface Endpoint {
  readonly host: Host;
  /** Whether a pooler between us gives each transaction another connection, as PgBouncer does. */
  readonly isPooler: boolean;
}

export interface ConnectOptions {
  readonly max: number;
  /** Whether statements are limited in time, as for requests. Default true. */
  readonly limited?: boolean;
  /** Called when a connection is lost, also when it was idle. */
  readonly onclose?: () => void;
}

/** A role that may create objects in `public` must not be able to replace a function or an operator that we use. */
export const SEARCH_PATH = "pg_catalog, pg_temp";
const IDLE_IN_TRANSACTION_MS = 60_000;
const TRY_AGAIN_SECONDS = 0.1;
/** The type's number in every PostgreSQL. */
const TIMESTAMPTZ = 1184;

/** Connections are opened on demand. */
export async function connect(address: Address, endpoint: Endpoint, options: ConnectOptions): Promise<Client> {
  const { host, port } = endpoint.host;
  const client: Client = postgres({
    // As lists, which its types don't know: it would cut an IPv6 address at the colons.
    ...({ host: [host], port: [port] } as object),
    ...(host.startsWith("/") && { path: `${host}/.s.PGSQL.${port}` }),
    database: address.database,
    username: address.username,
    password: (await passwordFor(address, endpoint.host)) ?? "",
    ssl: sslOption(address.tls, host),
    connect_timeout: address.limits.connectTimeoutMs / 1000,
    backoff: () => TRY_AGAIN_SECONDS,
    // Not needed; and a connection that is lost meanwhile would end the process (porsager/postgres#1192).
    fetch_types: false,
    prepare: !endpoint.isPooler,
    onnotice: () => {},
    types: { moment: { to: TIMESTAMPTZ, from: [TIMESTAMPTZ], serialize: String, parse: isoOf } },
    connection: {
      application_name: address.application_name,
      ...((address.options === undefined ? {} : { options: address.options }) as object),
      ...((endpoint.isPooler ? {} : settingsFor(address, options.limited)) as object),
    },
    max: options.max,
    ...(options.onclose && { onclose: options.onclose }),
    // A transaction may last longer than the lifetime of a connection.
    ...(options.max === 1 && { max_lifetime: null }),
  });
  return client;
}

/** The settings that every statement relies on, whatever the defaults of the role or the database. */
function settingsFor({ limits }: Address, limited = true): Record<string, string> {
  return {
    search_path: SEARCH_PATH,
    TimeZone: "UTC",
    DateStyle: "ISO",
    default_transaction_isolation: "read committed",
    // An acknowledged commit is on disk.
    synchronous_commit: "on",
    // With its unit, because `postgres` leaves out a bare zero.
    statement_timeout: `${limited ? limits.statementTimeoutMs : 0}ms`,
    idle_in_transaction_session_timeout: `${limited ? IDLE_IN_TRANSACTION_MS : 0}ms`,
  };
}

/**
 * The same for one transaction. A pooler refuses most settings when a connection is opened, and a connection's own
 * settings are lost, or affect others.
 */
export function localSettings(address: Address, limited = true): string {
  return Object.entries(settingsFor(address, limited))
    .map(([name, value]) => `SET LOCAL ${name} TO ${name === "search_path" ? value : `'${value}'`};`)
    .join(" ");
}
