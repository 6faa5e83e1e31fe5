import postgres, { type Sql } from "postgres";
import type { Address, Host } from "./address.ts";
import { isLost } from "./failures.ts";
import { passwordFor } from "./password.ts";
import { isoOf } from "./rows.ts";
import { sslOption } from "./tls.ts";

export type Client = Sql<{ moment: string }>;

/** One server that was reached, and how it wants to be spoken to. */
export interface Endpoint {
  readonly host: Host;
  /** Whether something in between hands each transaction to another connection, as PgBouncer does. */
  readonly isPooler: boolean;
}

export interface ConnectOptions {
  readonly max: number;
  /** Whether statements are limited in time, as for requests. Default true. */
  readonly limited?: boolean;
  /** Called when a connection is lost, also where nothing was asked just then. */
  readonly onclose?: () => void;
}

/** A role that may create objects in `public` must not be able to replace a function or an operator that we use. */
export const SEARCH_PATH = "pg_catalog, pg_temp";
const IDLE_IN_TRANSACTION_MS = 60_000;
const TRY_AGAIN_SECONDS = 0.1;
/** The type's number in every PostgreSQL. */
const TIMESTAMPTZ = 1184;

/** Connections are made when they are needed. */
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
    // Not needed; but without it `reserve`, which a pooler needs, waits forever on a new connection.
    fetch_types: endpoint.isPooler,
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
    // A transaction may last longer than a connection is kept.
    ...(options.max === 1 && { max_lifetime: null }),
  });
  return client;
}

/** What every statement relies on, whatever the role or the database are set to. */
function settingsFor({ limits }: Address, limited = true): Record<string, string> {
  return {
    search_path: SEARCH_PATH,
    TimeZone: "UTC",
    DateStyle: "ISO",
    default_transaction_isolation: "read committed",
    // What is acknowledged is on the disk.
    synchronous_commit: "on",
    // With its unit, because `postgres` leaves out a bare zero.
    statement_timeout: `${limited ? limits.statementTimeoutMs : 0}ms`,
    idle_in_transaction_session_timeout: `${limited ? IDLE_IN_TRANSACTION_MS : 0}ms`,
  };
}

/**
 * The same for one transaction: a pooler refuses most settings when a connection is made, and what is set for a connection
 * of its own is lost, or left behind for others.
 */
export function localSettings(address: Address, limited = true): string {
  return Object.entries(settingsFor(address, limited))
    .map(([name, value]) => `SET LOCAL ${name} TO ${name === "search_path" ? value : `'${value}'`};`)
    .join(" ");
}

/**
 * One statement in a transaction of its own that begins with these settings. `postgres` has `begin` for that, which ends the
 * process where the connection is lost in the middle: it goes on to write to it. So everything is sent together here.
 */
export async function runAsTransaction<Row extends object>(
  client: Client,
  settings: string,
  text: string,
  parameters: readonly (string | null)[],
): Promise<Row[]> {
  const connection = await client.reserve();
  const begun = connection.unsafe(`BEGIN ISOLATION LEVEL READ COMMITTED; ${settings}`);
  const answered = connection.unsafe<Row[]>(text, [...parameters]);
  const committed = connection.unsafe("COMMIT");
  const outcome = Promise.all([begun, answered, committed]);
  void releaseAfter(connection, outcome, committed);
  const [, rows] = await outcome;
  return rows;
}

/** A lost connection must not be used again; one that is not lost answers the COMMIT, whatever became of the statement. */
async function releaseAfter(
  connection: { release(): void },
  outcome: Promise<unknown>,
  committed: Promise<unknown>,
): Promise<void> {
  const [, end] = await Promise.allSettled([outcome, committed]);
  if (end.status === "fulfilled" || !isLost(end.reason)) connection.release();
}
