import { clearTimeout, setTimeout } from "node:timers";
import type { Warn } from "../../store.ts";
import { isFull, isHanging, isLoginRefused, isReadOnly, reasonOf } from "./failures.ts";

/** How often the same reason is reported while requests fail for it. */
const REPORT_AGAIN_MS = 60_000;

/** Says when a database is lost, when it is back, and why requests fail: once each. */
export function createReports(location: string, warn: Warn) {
  /** Until then, and in a tool, an error is thrown instead of logged. */
  let isServing = false;
  let isAway = false;
  /** Why a server that answers reads can't be used. */
  let hindrance: "full" | "other" | undefined;
  const reported = new Map<string, number>();

  function isNews(reason: string): boolean {
    if (performance.now() - (reported.get(reason) ?? -Infinity) < REPORT_AGAIN_MS) return false;
    reported.set(reason, performance.now());
    return true;
  }

  function back(): void {
    if (isAway) warn(`${location} is available again.`);
    isAway = false;
  }

  return {
    /** From now on what fails is said. */
    serve: () => void (isServing = true),
    /** Whether a write failed because the server's disk was full, and `room` has not been called since. */
    isFull: () => hindrance === "full",
    /** Whether only a server's state can tell that it is usable again. */
    isDoubtful: () => hindrance === "other",

    /** A statement was answered. */
    answer(): void {
      if (hindrance === undefined) back();
    },

    /** The server accepts writes and completes them. */
    usable(): void {
      if (hindrance === "full") return;
      hindrance = undefined;
      back();
    },

    room(): void {
      hindrance = undefined;
      back();
    },

    loss(error: unknown): void {
      if (isFull(error)) hindrance = "full";
      else if (isReadOnly(error) || isHanging(error)) hindrance ??= "other";
      if (!isServing) return;
      const reason = reasonOf(error);
      const isNew = isNews(isHanging(error) ? "hanging" : reason);
      // A lost connection is often the first sign of a login that is refused from then on, which does not end by itself.
      if (!isAway) warn(`${location} is unavailable: ${reason}. Requests get 503 until it is back.`);
      else if (isNew && (isLoginRefused(error) || isHanging(error)))
        warn(`${location} is still unavailable: ${reason}.`);
      isAway = true;
    },

    /**
     * A failure although the connection works: a missing table, a missing privilege, a lock.
     * @param explain a sentence more
     */
    async failure(error: unknown, explain: () => Promise<string>): Promise<void> {
      const reason = reasonOf(error);
      if (!isServing || isAway || !isNews(reason)) return;
      let more = "";
      try {
        more = await explain();
      } catch {
        // The database is no longer asked for it.
      }
      const sentences = [reason.replace(/\.?$/, "."), more, "Requests that need it get 503."];
      warn(`${location}: ${sentences.filter((text) => text !== "").join(" ")}`);
    },
  };
}

/** A transaction that others may wait for. */
export interface LockHolder {
  readonly pid: number;
  readonly program: string;
  readonly role: string;
  readonly mode: string;
  readonly relation: string;
}

/** Those of our own that are under way wait themselves, or are young. What another role's transaction does is not shown to us. */
export const LOCK_HOLDERS = `SELECT DISTINCT ON (held.pid) held.pid, held.mode, held.relation::regclass::text AS relation,
    coalesce(nullif(activity.application_name, ''), 'unnamed') AS program, coalesce(activity.usename::text, '?') AS role
  FROM pg_locks AS held JOIN pg_stat_activity AS activity ON activity.pid = held.pid
  WHERE held.locktype = 'relation' AND held.granted AND held.pid <> pg_backend_pid()
    AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND held.relation IN (SELECT oid FROM pg_class WHERE relnamespace = 'svc'::regnamespace AND relkind IN ('r', 'p'))
    AND NOT EXISTS (SELECT FROM pg_locks AS waiting WHERE waiting.pid = held.pid AND NOT waiting.granted)
    AND coalesce(clock_timestamp() - activity.xact_start > interval '1 s', true)
  ORDER BY held.pid, held.mode LIMIT 3`;

/** A sentence on why statements ran into their time limit. */
export function describeHolders(holders: readonly LockHolder[]): string {
  if (holders.length === 0) return "No other transaction holds a lock on svc's tables: the database is slow.";
  const all = holders.map(
    ({ pid, program, role, mode, relation }) =>
      `${mode} on ${relation}, held by process ${pid} (${program}, role ${role})`,
  );
  return `Locks: ${all.join("; ")}.`;
}

/** Whose messages name a database. */
type Reporter = { readonly location: string; readonly warn: Warn };

const SAY_AFTER_MS = 3000;

/** Waits for the other process that creates, fills or changes something, and says so if that takes long. */
export async function announceWait<T>(reporter: Reporter, locked: Promise<T>): Promise<T> {
  const timer = sayWaiting(reporter);
  try {
    return await locked;
  } finally {
    clearTimeout(timer);
  }
}

/** @returns what is to be cleared when the wait is over */
export function sayWaiting({ location, warn }: Reporter): NodeJS.Timeout {
  const text = `${location}: another process is creating, filling or changing the store. Waiting for it.`;
  return setTimeout(() => warn(text), SAY_AFTER_MS);
}
