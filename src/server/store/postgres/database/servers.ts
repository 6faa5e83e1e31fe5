import { Client } from "pg";
import type { Address, DatabaseHost } from "./address.ts";
import type { DatabaseClock } from "./clock.ts";
import { areApplied, configOf, READ_SETTINGS, type DatabaseEndpoint, type Setting } from "./connection.ts";
import { coded, HangingCommits, isLoginRefused, isParameterRefused, NotWritable, withinTime } from "./failures.ts";

/**
 * The first of the address's hosts that accepts the login and, if the address requires that, writes. Like libpq, it tries
 * the next host unless one rejects the login.
 */
export async function findServer(address: Address, clock: DatabaseClock) {
  const failures: { host: string; error: unknown }[] = [];
  for (const host of address.hosts) {
    try {
      return await reach(address, clock, host);
    } catch (error) {
      if (address.hosts.length === 1 || isLoginRefused(error)) throw error;
      failures.push({ host: `${host.host}:${host.port}`, error });
    }
  }
  const text = failures.map(({ host, error }) => `${host}: ${(error as Error).message}`).join("; ");
  // If all hosts fail alike, that code, so that advice and retries match it.
  const codes = new Set(failures.map(({ error }) => (error as { code?: string }).code ?? ""));
  const code = codes.size === 1 ? [...codes][0] : "ECONNREFUSED";
  throw Object.assign(new Error(`no host can be used (${text})`), { code });
}

async function reach(address: Address, clock: DatabaseClock, host: DatabaseHost) {
  let endpoint: DatabaseEndpoint = { host, isPooler: false };
  let answer = await ask(address, clock, endpoint).catch((error: unknown) => {
    if (!isParameterRefused(error)) throw error;
  });
  // A pooler can also be configured to drop parameters: some of them, or all.
  if (!answer?.hasSettings) {
    endpoint = { host, isPooler: true };
    answer = await ask(address, clock, endpoint);
  }
  if (address.mustWrite && !answer.state.writable) throw new NotWritable("it is a standby, or set to read only");
  return { endpoint, state: answer.state };
}

/** @returns also whether the connection has the settings that it was opened with */
async function ask(address: Address, clock: DatabaseClock, endpoint: DatabaseEndpoint) {
  const client = new Client(configOf(address, endpoint, true));
  // Otherwise a loss would end the process; its statement fails as well.
  client.on("error", () => {});
  try {
    await client.connect();
    const { connectTimeoutMs } = address.limits;
    const asked = performance.now();
    const state = (await withinTime(client.query<ServerState>(READ_STATE), connectTimeoutMs)).rows[0]!;
    clock.note(state.moment, asked);
    const settings = (await withinTime(client.query<Setting>(READ_SETTINGS), connectTimeoutMs)).rows;
    return { state, hasSettings: areApplied(address, settings) };
  } catch (error) {
    throw coded(error);
  } finally {
    void client.end().catch(() => {});
  }
}

export interface ServerState {
  readonly writable: boolean;
  /** Differs between servers, and after a restart: behind one address there may be several. */
  readonly server: string;
  /** Its clock, in milliseconds since 1970. */
  readonly moment: number;
  /** How many commits of this role and database have waited for a synchronous standby for more than a second. */
  readonly hanging: number;
  readonly hanging_seconds: number;
}

/** Shorter waits are those of a slow standby. */
const HANGING_SECONDS = 3;

/** Sent before anything is known of the connection's search_path, so every name and operator has its schema. */
export const READ_STATE = `SELECT pg_catalog.current_setting('transaction_read_only') OPERATOR(pg_catalog.=) 'off' AS writable,
  pg_catalog.pg_postmaster_start_time()::pg_catalog.text AS server,
  (extract(epoch FROM pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000)::pg_catalog.float8 AS moment,
  hanging.count AS hanging, hanging.seconds AS hanging_seconds
  FROM (
    SELECT pg_catalog.count(*)::pg_catalog.int4 AS count,
      coalesce(pg_catalog.max(extract(epoch FROM waiting.lasted)), 0)::pg_catalog.float8 AS seconds
    FROM (
      SELECT pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) state_change AS lasted FROM pg_catalog.pg_stat_activity
      WHERE datname OPERATOR(pg_catalog.=) pg_catalog.current_database() AND usename OPERATOR(pg_catalog.=) CURRENT_USER
        AND wait_event OPERATOR(pg_catalog.=) 'SyncRep'
    ) AS waiting WHERE waiting.lasted OPERATOR(pg_catalog.>) '1 s'::pg_catalog.interval
  ) AS hanging`;

export function serverFaultOf(state: ServerState): NotWritable | HangingCommits | undefined {
  if (!state.writable) return new NotWritable("it is read only: a standby, or set to be");
  if (state.hanging_seconds < HANGING_SECONDS) return undefined;
  return new HangingCommits(state.hanging, state.hanging_seconds);
}
