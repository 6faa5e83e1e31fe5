import { setTimeout as sleep } from "node:timers/promises";
import type { Warn } from "../../store.ts";
import type { Address } from "./address.ts";
import {
  isBusy,
  isFull,
  isLoginRefused,
  isLost,
  isReadOnly,
  isRepeatable,
  isTooSlow,
  isUnavailable,
  NoAnswer,
  NotSent,
  reasonOf,
  unavailable,
  withinTime,
} from "./failures.ts";
import { CurrentPool, type Pool } from "./pool.ts";
import { openSession, type Value } from "./session.ts";

const TRY_AGAIN_MS = 100;
/** A database that was set to read-only must not cost a new pool for each write. */
const MIN_POOL_AGE_MS = 1000;
/** How often the same reason is reported while requests fail for it. */
const REPORT_AGAIN_MS = 60_000;

export interface QueryOptions {
  /** Whether this is a search, which may be slow and is rarely repeated. Other statements never wait for searches. Default false. */
  readonly isSearch?: boolean;
  /** The deadline of the answer, on `performance.now()`. */
  readonly until?: number;
}

export type Database = ReturnType<typeof openDatabase>;

/** A database. Nothing connects to it before the first query. */
export function openDatabase(address: Address, warn: Warn) {
  const { location, limits } = address;
  const pool = new CurrentPool(address, warn);
  let answered = 0;
  let isAway = false;
  let isWithoutRoom = false;

  function noteAnswer(): void {
    answered = performance.now();
    // A server whose disk is full still answers reads.
    if (isWithoutRoom) return;
    if (isAway) warn(`${location} is available again.`);
    isAway = false;
  }

  /** True once requests are served. Until then, and in a tool, an error is thrown instead of logged. */
  let isServing = false;

  const reported = new Map<string, number>();

  function isNews(reason: string): boolean {
    if (performance.now() - (reported.get(reason) ?? -Infinity) < REPORT_AGAIN_MS) return false;
    reported.set(reason, performance.now());
    return true;
  }

  function noteLoss(error: unknown): void {
    if (!isServing) return;
    const reason = reasonOf(error);
    // A lost connection is often the first sign of a login that is refused from then on, which does not end by itself.
    if (!isAway) warn(`${location} is unavailable: ${reason}. Requests get 503 until it is back.`);
    else if (isLoginRefused(error) && isNews(reason)) warn(`${location} is still unavailable: ${reason}.`);
    isAway = true;
  }

  /** A failure although the connection works: a missing table, a missing privilege, a lock. */
  function noteFailure(error: unknown): void {
    const reason = reasonOf(error);
    if (isServing && isNews(reason)) warn(`${location}: ${reason.replace(/\.?$/, ".")} Requests that need it get 503.`);
  }

  /** Statements of requests that are running, or wait for a connection. */
  let asking = 0;

  /**
   * One statement in its own transaction.
   * @throws {StorageUnavailable} by the deadline, whatever happens to the server. The result is then unknown
   */
  async function query<Row extends object>(
    text: string,
    parameters: readonly Value[] = [],
    { isSearch = false, until = performance.now() + limits.answerWithinMs }: QueryOptions = {},
  ): Promise<Row[]> {
    let hasSwitched = false;
    let busy: unknown;
    for (;;) {
      const asked = performance.now();
      const current = pool.get();
      let made: Pool | undefined;
      try {
        made = await withinTime(current, until - asked);
        if (!isSearch) asking++;
        const statements = isSearch ? made.searches : made.requests;
        const answer = statements
          .run<Row>(text, parameters, !isSearch, until)
          .finally(() => void (isSearch || asking--));
        const rows = await withinTime(answer, until - performance.now());
        noteAnswer();
        return rows;
      } catch (caught) {
        if (caught instanceof NotSent) continue;
        const isDead = isLost(caught) || (caught instanceof NoAnswer && answered < asked);
        // If the time ends during an attempt, those before say why.
        const error = caught instanceof NoAnswer ? (busy ?? caught) : caught;
        if (isBusy(error)) busy = error;
        if (isDead && made) pool.retire(current, 1);
        // Without a pool there is no usable server, for whatever reason.
        isWithoutRoom ||= isFull(error);
        if (isDead || !made || isFull(error) || isLoginRefused(error)) noteLoss(error);
        if (!isUnavailable(error)) throw error;
        // Nothing was written. Other connections, or another host, may lead to the new primary.
        if (made && isReadOnly(error)) {
          const mayWait = address.hosts.length > 1 && performance.now() + TRY_AGAIN_MS < until;
          const isOld = asked - made.made > MIN_POOL_AGE_MS;
          if (isOld && (mayWait || !hasSwitched)) {
            hasSwitched = true;
            pool.retire(current, limits.answerWithinMs / 1000);
          } else if (mayWait) await sleep(TRY_AGAIN_MS);
          else {
            noteFailure(error);
            throw unavailable(location, error);
          }
          continue;
        }
        // If another host may take over, nothing was sent and the request can wait for that.
        const mayTakeOver = !made && address.hosts.length > 1 && !(error instanceof NoAnswer);
        const mayRepeat = isBusy(error) || isRepeatable(error) || mayTakeOver;
        if (!mayRepeat || performance.now() + TRY_AGAIN_MS > until) {
          if (!isAway && !isTooSlow(error)) noteFailure(error);
          throw unavailable(location, error);
        }
        await sleep(isRepeatable(error) ? Math.random() * TRY_AGAIN_MS : TRY_AGAIN_MS);
      }
    }
  }

  return {
    location,
    /** A role that may own the schema, beside those that can do everything. */
    schemaOwner: address.schemaOwner,
    query,
    warn,
    /** From now on `warn` gets what fails, when the database is lost and when it is back. */
    serve(): void {
      isServing = true;
    },
    /** Whether a write failed because the server's disk was full, and `noteRoom` has not reported space since. */
    isFull: () => isWithoutRoom,
    noteRoom(): void {
      isWithoutRoom = false;
      noteAnswer();
    },
    /** Those for requests: the limit, those in use, and statements that wait for one. */
    connections: () => ({
      most: limits.poolSize,
      inUse: Math.min(asking, limits.poolSize),
      waiting: Math.max(0, asking - limits.poolSize),
    }),
    /** @param limited whether statements have a time limit, as for requests */
    openSession: (limited = true) => openSession(address, async () => (await pool.get()).endpoint, limited),
    /** The deadline, on `performance.now()`, of a request that arrives now. */
    deadline: () => performance.now() + limits.answerWithinMs,
    /** How many long lists may be read at the same time. */
    listConnections: limits.listConnections,
    close: () => pool.close(),
  };
}
