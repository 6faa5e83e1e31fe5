/** Moments and deadlines are on `performance.now()`. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "./address.ts";
import type { CurrentServer } from "./current.ts";
import {
  isBusy,
  isFull,
  isHanging,
  isLoginRefused,
  isLost,
  isReadOnly,
  isRepeatable,
  isTimeUp,
  isDatabaseAway,
  NoAnswer,
  NoConnection,
  NotSent,
  withinTime,
} from "./failures.ts";
import type { Server } from "./pool.ts";
import { databaseUnavailable } from "./reasons.ts";
import type { Reports } from "./reports.ts";
import type { Value } from "./session.ts";

const TRY_AGAIN_MS = 100;
/** A database that was set to read-only must not cost new connections for each write. */
const MIN_AGE_MS = 1000;

export interface QueryOptions<Row = object> {
  /** Whether this is a search, which may be slow and is rarely repeated. Other statements never wait for searches. Default false. */
  readonly isSearch?: boolean;
  readonly until?: number;
  /** Throws what is wrong with the server that gave this answer. @param asked when it was asked for */
  readonly inspect?: (rows: readonly Row[], asked: number) => void;
}

/** A statement that is tried until its deadline. */
interface Request {
  readonly isSearch: boolean;
  readonly until: number;
  /** Whether it was sent to new connections because the server was read only. */
  hasSwitched: boolean;
  /** Why an attempt found no connection. If the time ends during another, this says why. */
  busy: unknown;
}

interface Attempt {
  readonly asked: number;
  readonly current: Promise<Server>;
  /** Undefined if none was found. */
  readonly server: Server | undefined;
}

/**
 * Sends single statements, each in its own transaction, and repeats those that have surely written nothing.
 * @param onAnswer called after each answer without a fault. @param onFailure called with what a request is refused for
 */
export function createQuery(
  { location, hosts, limits }: Address,
  servers: CurrentServer,
  reports: Reports,
  { onAnswer, onFailure }: { onAnswer(isInspected: boolean): void; onFailure(error: unknown, isSearch: boolean): void },
) {
  let answered = 0;

  /** Reports a failure, and has the server looked for again if it was the server's. @returns what to blame it on */
  function blame(caught: unknown, { asked, current, server }: Attempt, request: Request): unknown {
    // Searches wait for each other.
    const isWaiting = request.isSearch && caught instanceof NoConnection;
    const isSilent = caught instanceof NoAnswer && !isWaiting && answered < asked;
    if (server && (isSilent || isLost(caught))) void servers.renew(current, isSilent);
    const error = isTimeUp(caught) ? (request.busy ?? servers.hanging() ?? caught) : caught;
    if (isBusy(error)) request.busy = error;
    // Without a server, whatever the reason.
    const isAway = isSilent || isLost(caught) || !server;
    if (isAway || isFull(error) || isLoginRefused(error) || isHanging(error)) reports.loss(error);
    return error;
  }

  /** Nothing was written. Other connections, or another host, may lead to the new primary. */
  async function followPrimary(
    error: unknown,
    { asked, current, server }: Attempt & { server: Server },
    request: Request,
  ) {
    const mayFollow = hosts.length > 1 && hasTime(request);
    const isOld = asked - server.found > MIN_AGE_MS;
    if (isOld && (mayFollow || !request.hasSwitched)) {
      request.hasSwitched = true;
      void servers.retire(current, limits.answerWithinMs / 1000);
    } else if (mayFollow) await sleep(TRY_AGAIN_MS);
    else {
      reports.loss(error);
      throw databaseUnavailable(location, error);
    }
  }

  /**
   * Resolves when the statement can be sent again.
   * @throws {StorageUnavailable} if it can't. Errors of the statement itself are thrown as they are
   */
  async function prepareRetry(caught: unknown, attempt: Attempt, request: Request): Promise<void> {
    if (caught instanceof NotSent) return;
    const error = blame(caught, attempt, request);
    if (!isDatabaseAway(error)) throw error;
    const { server } = attempt;
    if (server && isReadOnly(error)) return followPrimary(error, { ...attempt, server }, request);
    // If another host may take over, nothing was sent and the request can wait for that.
    const mayTakeOver = !server && hosts.length > 1 && !(error instanceof NoAnswer) && !isHanging(error);
    const mayRepeat = isBusy(error) || isRepeatable(error) || mayTakeOver;
    if (!mayRepeat || !hasTime(request)) {
      onFailure(error, request.isSearch);
      throw databaseUnavailable(location, error);
    }
    await sleep(isRepeatable(error) ? Math.random() * TRY_AGAIN_MS : TRY_AGAIN_MS);
  }

  /**
   * One statement in its own transaction.
   * @throws {StorageUnavailable} by the deadline, whatever happens to the server. The result is then unknown
   */
  return async function query<Row extends object>(
    text: string,
    parameters: readonly Value[] = [],
    { isSearch = false, until = performance.now() + limits.answerWithinMs, inspect }: QueryOptions<Row> = {},
  ): Promise<Row[]> {
    // PostgreSQL can't store this character, so no row has it.
    if (parameters.some((value) => value?.includes("\0"))) return [];
    const request: Request = { isSearch, until, hasSwitched: false, busy: undefined };
    for (;;) {
      const asked = performance.now();
      const current = servers.get();
      let server: Server | undefined;
      try {
        server = await withinTime(current, until - asked);
        const rows = await server.run<Row>(isSearch ? "searches" : "requests", text, parameters, until);
        answered = performance.now();
        inspect?.(rows, asked);
        onAnswer(inspect !== undefined);
        return rows;
      } catch (caught) {
        await prepareRetry(caught, { asked, current, server }, request);
      }
    }
  };
}

function hasTime({ until }: Request): boolean {
  return performance.now() + TRY_AGAIN_MS < until;
}
