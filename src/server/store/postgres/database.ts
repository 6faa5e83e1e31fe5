import { setTimeout as sleep } from "node:timers/promises";
import { checkServerIdentity as identityError, type PeerCertificate } from "node:tls";
import postgres, { type Sql } from "postgres";
import type { Address } from "./address.ts";
import { isBusy, isLost, isUnavailable, NoAnswer, reasonOf, unavailable } from "./failures.ts";
import { isoOf } from "./rows.ts";

/** Of one process, for what is over in an instant. Long lists have connections of their own. */
const POOL_SIZE = 10;
/** The server gives up on a statement before we give up on the server, so that one slow search is not taken for its death. */
const STATEMENT_TIMEOUT_MS = 4000;
const ANSWER_WITHIN_MS = 4500;
const CONNECT_TIMEOUT_SECONDS = 4;
const IDLE_IN_TRANSACTION_MS = 60_000;
const TRY_AGAIN_MS = 100;
/** A role that may create objects in `public` must not be able to replace a function or an operator that we use. */
export const SEARCH_PATH = "pg_catalog, pg_temp";
/** The type's number in every PostgreSQL. */
const TIMESTAMPTZ = 1184;

type Client = Sql<{ moment: string }>;

export interface QueryOptions {
  /** Whether the server keeps the statement. Not where the text is one of very many. Default true. */
  readonly prepare?: boolean;
  /** The moment, on `performance.now()`, by which there must be an answer. */
  readonly until?: number;
}

export type Ask = <Row extends object>(text: string, parameters?: readonly Value[]) => Promise<Row[]>;
/** Every parameter is sent as text; the statement casts it. */
export type Value = string | null;

/** One connection, for a transaction or a cursor. After a failure it answers nothing but that failure. */
export interface Session {
  readonly ask: Ask;
  close(): Promise<void>;
}

export interface Database {
  readonly location: string;
  /**
   * One statement, which is a transaction of its own.
   * @throws {StorageUnavailable} within five seconds, whatever happens to the server; the outcome is not known then
   */
  query<Row extends object>(text: string, parameters?: readonly Value[], options?: QueryOptions): Promise<Row[]>;
  /** @param limits whether a statement may take only so long, as for requests; default true */
  openSession(limits?: boolean): Session;
  close(): Promise<void>;
}

/** The moment by which a request must have its answer. */
export function deadline(): number {
  return performance.now() + ANSWER_WITHIN_MS;
}

/**
 * Nothing is connected before the first query. The pool is given up as soon as a connection breaks, and the next query
 * makes another one: a connection that `postgres` opens again can still hold what it had not sent before.
 */
export function openDatabase(address: Address, warn: (message: string) => void): Database {
  const { location } = address;
  let pool: Client | undefined;
  let answered = 0;
  let isAway = false;

  function retire(broken: Client): void {
    if (pool === broken) pool = undefined;
    void broken.end({ timeout: 1 }).catch(() => {});
  }

  function noteAnswer(): void {
    answered = performance.now();
    if (isAway) warn(`${location} is back.`);
    isAway = false;
  }

  function noteLoss(error: unknown): void {
    // What never answered was never there: then the start says what is wrong.
    if (answered === 0) return;
    if (!isAway) warn(`${location} is away: ${reasonOf(error)}. Until it is back, requests get 503.`);
    isAway = true;
  }

  async function query<Row extends object>(
    text: string,
    parameters: readonly Value[] = [],
    { prepare = true, until = deadline() }: QueryOptions = {},
  ): Promise<Row[]> {
    for (;;) {
      const asked = performance.now();
      const sql = (pool ??= connect(address, { max: POOL_SIZE }));
      try {
        const rows = await withinTime(sql.unsafe<Row[]>(text, [...parameters], { prepare }), until - asked);
        noteAnswer();
        return rows;
      } catch (error) {
        const isDead = isLost(error) || (error instanceof NoAnswer && answered < asked);
        if (isDead) {
          retire(sql);
          noteLoss(error);
        }
        if (!isUnavailable(error)) throw error;
        if (!isBusy(error) || performance.now() + TRY_AGAIN_MS > until) throw unavailable(location, error);
        await sleep(TRY_AGAIN_MS);
      }
    }
  }

  return {
    location,
    query,
    openSession: (limits = true) => openSession(address, limits),
    async close() {
      await pool?.end({ timeout: 5 });
    },
  };
}

/**
 * A pool of one. `postgres` would open it again after a loss, outside of the transaction: so the first failure is the
 * last, and one statement is asked after another.
 */
function openSession(address: Address, limits: boolean): Session {
  const sql = connect(address, { max: 1, max_lifetime: null }, limits);
  let failure: { error: unknown } | undefined;
  return {
    async ask<Row extends object>(text: string, parameters: readonly Value[] = []): Promise<Row[]> {
      if (failure) throw failure.error;
      try {
        return await withinTime(sql.unsafe<Row[]>(text, [...parameters]), limits ? ANSWER_WITHIN_MS : undefined);
      } catch (error) {
        failure = { error: isUnavailable(error) ? unavailable(address.location, error) : error };
        throw failure.error;
      }
    },
    close: () => sql.end({ timeout: 0 }),
  };
}

function connect(
  { host, port, database, username, password, tls, application_name }: Address,
  options: { max: number; max_lifetime?: null },
  limits = true,
): Client {
  const client: Client = postgres({
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(database !== undefined && { database }),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ssl: typeof tls === "object" ? { ...tls, checkServerIdentity } : tls !== "disable" && tls,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    backoff: () => TRY_AGAIN_MS / 1000,
    fetch_types: false,
    onnotice: () => {},
    types: { moment: { to: TIMESTAMPTZ, from: [TIMESTAMPTZ], serialize: String, parse: isoOf } },
    connection: {
      application_name,
      TimeZone: "UTC",
      DateStyle: "ISO",
      search_path: SEARCH_PATH,
      // What is acknowledged is on the disk, whatever the role or the database are set to.
      synchronous_commit: "on",
      // With its unit, because `postgres` leaves out a bare zero.
      ...({
        statement_timeout: `${limits ? STATEMENT_TIMEOUT_MS : 0}ms`,
        idle_in_transaction_session_timeout: `${limits ? IDLE_IN_TRANSACTION_MS : 0}ms`,
      } as object),
    },
    ...options,
  });
  return client;

  /** Of itself, TLS would take the certificate of "localhost" for a server that is named by its address. */
  function checkServerIdentity(_: string, certificate: PeerCertificate): Error | undefined {
    return identityError(client.options.host[0]!, certificate);
  }
}

async function withinTime<T>(answer: Promise<T>, ms: number | undefined): Promise<T> {
  if (ms === undefined) return answer;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer("no answer in time")), ms);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
