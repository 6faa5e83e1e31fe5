import { setTimeout as sleep } from "node:timers/promises";
import type { Warn } from "../store.ts";
import type { Address } from "./address.ts";
import { connect, localSettings, runAsTransaction, type Client, type Endpoint } from "./connection.ts";
import {
  isBusy,
  isFull,
  isLost,
  isReadOnly,
  isRepeatable,
  isUnavailable,
  NoAnswer,
  reasonOf,
  unavailable,
  withinTime,
} from "./failures.ts";
import { findServer } from "./servers.ts";
import { openSession, type Session, type Value } from "./session.ts";
import { tlsWarning } from "./tls.ts";

const TRY_AGAIN_MS = 100;
/** A database that was set to read only must not cost a new pool for each write. */
const MIN_POOL_AGE_MS = 1000;

export interface QueryOptions {
  /** Whether this is a search: it may take long, and its text is one of very many. Others never wait for one. Default false. */
  readonly isSearch?: boolean;
  /** The moment, on `performance.now()`, by which there must be an answer. */
  readonly until?: number;
}

export interface Database {
  readonly location: string;
  /** A role that may own the schema, beside those that can do everything. */
  readonly schemaOwner: string | undefined;
  /**
   * One statement, which is a transaction of its own.
   * @throws {StorageUnavailable} in time, whatever happens to the server; the outcome is not known then
   */
  query<Row extends object>(text: string, parameters?: readonly Value[], options?: QueryOptions): Promise<Row[]>;
  /** @param limited whether a statement may take only so long, as for requests; default true */
  openSession(limited?: boolean): Session;
  /** Whether a write found the server's disk full, and `noteRoom` was not told since that there is space again. */
  isFull(): boolean;
  noteRoom(): void;
  /** The moment, on `performance.now()`, by which a request that comes now must have its answer. */
  deadline(): number;
  /** How many long lists may be read at the same time. */
  readonly listConnections: number;
  /** Those for requests: the limit, those in use, and statements that wait for one. */
  connections(): { readonly most: number; readonly inUse: number; readonly waiting: number };
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly warn: Warn;
  /** Whether it is said that the database has gone, and that it is back, as a server that goes on does. Default true. */
  readonly reportsLoss?: boolean;
}

/** Connections to one server. */
interface Pool {
  readonly endpoint: Endpoint;
  readonly requests: Client;
  readonly searches: Client;
  readonly made: number;
}

/**
 * Nothing is connected before the first query. The pool is given up as soon as a connection breaks or turns out to be to a
 * standby, and the next query finds a server and makes another one: a connection that `postgres` opens again can still
 * hold what it had not sent before.
 */
export function openDatabase(address: Address, { warn, reportsLoss = true }: DatabaseOptions): Database {
  const { location, limits } = address;
  let pool: Promise<Pool> | undefined;
  let answered = 0;
  let isAway = false;
  let isWithoutRoom = false;
  const said = new Set<string>();

  async function makePool(): Promise<Pool> {
    const endpoint = await findServer(address);
    const warning = tlsWarning(address.tls, endpoint.host.host);
    if (warning !== undefined && !said.has(warning)) {
      said.add(warning);
      warn(`${location}: ${warning}`);
    }
    return {
      endpoint,
      requests: await connect(address, endpoint, { max: limits.poolSize }),
      searches: await connect(address, endpoint, { max: limits.listConnections }),
      made: performance.now(),
    };
  }

  function currentPool(): Promise<Pool> {
    if (pool) return pool;
    const making = makePool();
    pool = making;
    making.catch(() => {
      if (pool === making) pool = undefined;
    });
    return making;
  }

  /** @param seconds how long what is under way may still take */
  function retire({ requests, searches }: Pool, broken: Promise<Pool>, seconds: number): void {
    if (pool === broken) pool = undefined;
    for (const client of [requests, searches]) void client.end({ timeout: seconds }).catch(() => {});
  }

  function noteAnswer(): void {
    answered = performance.now();
    // A server whose disk is full still answers what only reads.
    if (isWithoutRoom) return;
    if (isAway) warn(`${location} is available again.`);
    isAway = false;
  }

  function noteLoss(error: unknown): void {
    // Before the first answer the start itself says what is wrong.
    if (answered === 0 || !reportsLoss) return;
    if (!isAway) warn(`${location} is unavailable: ${reasonOf(error)}. Requests get 503 until it is back.`);
    isAway = true;
  }

  /** Statements of requests that are under way, or wait for a connection. */
  let asking = 0;

  async function run<Row extends object>(
    { endpoint, requests, searches }: Pool,
    text: string,
    parameters: readonly Value[],
    isSearch: boolean,
  ): Promise<Row[]> {
    const client = isSearch ? searches : requests;
    if (!endpoint.isPooler) return client.unsafe<Row[]>(text, [...parameters], { prepare: !isSearch });
    return runAsTransaction<Row>(client, localSettings(address), text, parameters);
  }

  async function query<Row extends object>(
    text: string,
    parameters: readonly Value[] = [],
    { isSearch = false, until = performance.now() + limits.answerWithinMs }: QueryOptions = {},
  ): Promise<Row[]> {
    let hasSwitched = false;
    for (;;) {
      const asked = performance.now();
      const current = currentPool();
      let made: Pool | undefined;
      try {
        made = await withinTime(current, until - asked);
        if (!isSearch) asking++;
        const answer = run<Row>(made, text, parameters, isSearch).finally(() => void (isSearch || asking--));
        const rows = await withinTime(answer, until - performance.now());
        noteAnswer();
        return rows;
      } catch (error) {
        const isDead = isLost(error) || (error instanceof NoAnswer && answered < asked);
        if (isDead && made) retire(made, current, 1);
        // Without a pool there is no server that can be used, for whatever reason.
        isWithoutRoom ||= isFull(error);
        if (isDead || !made || isFull(error)) noteLoss(error);
        if (!isUnavailable(error)) throw error;
        // Nothing was written. Other connections, or another host, may lead to the new primary.
        if (made && !hasSwitched && isReadOnly(error)) {
          hasSwitched = asked - made.made > MIN_POOL_AGE_MS;
          if (hasSwitched) retire(made, current, limits.answerWithinMs / 1000);
          else if (address.hosts.length > 1 && performance.now() + TRY_AGAIN_MS < until) await sleep(TRY_AGAIN_MS);
          else throw unavailable(location, error);
          continue;
        }
        // Where another host may take over, nothing was asked and the request can wait for that.
        const mayTakeOver = !made && address.hosts.length > 1 && !(error instanceof NoAnswer);
        const mayRepeat = isBusy(error) || isRepeatable(error) || mayTakeOver;
        if (!mayRepeat || performance.now() + TRY_AGAIN_MS > until) throw unavailable(location, error);
        await sleep(isRepeatable(error) ? Math.random() * TRY_AGAIN_MS : TRY_AGAIN_MS);
      }
    }
  }

  return {
    location,
    schemaOwner: address.schemaOwner,
    query,
    isFull: () => isWithoutRoom,
    noteRoom() {
      isWithoutRoom = false;
      noteAnswer();
    },
    connections: () => ({
      most: limits.poolSize,
      inUse: Math.min(asking, limits.poolSize),
      waiting: Math.max(0, asking - limits.poolSize),
    }),
    openSession: (limited = true) => openSession(address, async () => (await currentPool()).endpoint, limited),
    deadline: () => performance.now() + limits.answerWithinMs,
    listConnections: limits.listConnections,
    async close() {
      const made = await pool?.catch(() => undefined);
      if (made) await Promise.all([made.requests, made.searches].map((client) => client.end({ timeout: 5 })));
    },
  };
}
