import { HangingCommits, NotWritable } from "./failures.ts";

/** What a server says of itself. */
export interface ServerState {
  readonly writable: boolean;
  /** Differs between servers, and after a restart: behind one address there may be several. */
  readonly server: string;
  /** Its clock, in milliseconds since 1970. */
  readonly moment: number;
  /** How many commits of this role and database have waited for a synchronous standby for more than a second. */
  readonly hanging: number;
  /** How long the first of them has waited. */
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

/** Why sign-ins can't succeed there. */
export function faultOf(state: ServerState): NotWritable | HangingCommits | undefined {
  if (!state.writable) return new NotWritable("it is read only: a standby, or set to be");
  if (state.hanging_seconds < HANGING_SECONDS) return undefined;
  return new HangingCommits(state.hanging, state.hanging_seconds);
}
