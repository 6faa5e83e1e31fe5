import { badAddress } from "./failures.ts";

/** The connections of one process to a database, and its timeouts. */
export interface Limits {
  /** Connections for short statements. */
  readonly poolSize: number;
  /** Further connections for searches, and as many for lists that are being read. */
  readonly listConnections: number;
  /** How old what a replica shows may be. */
  readonly searchLagMs: number;
  readonly connectTimeoutMs: number;
  /** For one statement of a request, after which PostgreSQL cancels it. */
  readonly statementTimeoutMs: number;
  /** For a whole request: the wait for a connection, and the answer. */
  readonly answerWithinMs: number;
}

export const POOL_PARAMETERS = [
  "pool_size",
  "pool_timeout",
  "list_connections",
  "statement_timeout",
  "search_lag",
] as const;

/** PostgreSQL must time out a statement before we consider PostgreSQL lost because of one slow search. */
const MARGIN_MS = 500;

/** @throws {ServeError} */
export function limitsOf(parameters: URLSearchParams, connectTimeout: string | undefined, hosts: number): Limits {
  const whole = (name: string, least: number, most: number, otherwise: number, text?: string): number => {
    const given = parameters.get(name) ?? text;
    if (given === undefined || given === "") return otherwise;
    const value = /^\d+$/.test(given) ? Number(given) : NaN;
    if (value >= least && value <= most) return value;
    const variable = text === undefined ? undefined : "PGCONNECT_TIMEOUT";
    throw badAddress(`has a ${name} that is not a whole number from ${least} to ${most}.`, variable);
  };
  const statement = whole("statement_timeout", 1, 600, 4);
  const wait = whole("pool_timeout", 1, 600, statement) * 1000;
  return {
    poolSize: whole("pool_size", 1, 1000, 10),
    listConnections: whole("list_connections", 1, 1000, 4),
    searchLagMs: whole("search_lag", 1, 3600, 5) * 1000,
    // An unreachable host must leave time to try the next one.
    connectTimeoutMs: whole("connect_timeout", 1, 600, hosts > 1 ? 2 : 4, connectTimeout) * 1000,
    statementTimeoutMs: statement * 1000,
    answerWithinMs: Math.max(wait, statement * 1000) + MARGIN_MS,
  };
}
