import { clearTimeout, setTimeout } from "node:timers";
import type { Warn } from "../../store.ts";
import type { Ask } from "./session.ts";
import { isFull, isHanging, isLoginRefused, isReadOnly } from "./failures.ts";
import { reasonOf } from "./reasons.ts";

const REPORT_AGAIN_MS = 60_000;

export type Reports = ReturnType<typeof createReports>;

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
    serve: () => void (isServing = true),
    /** Whether a write failed because the server's disk was full, and its disk is not known to have space again. */
    isFull: () => hindrance === "full",
    /** Whether only a server's state can tell that it is usable again. */
    isDoubtful: () => hindrance === "other",

    answer(): void {
      if (hindrance === undefined) back();
    },

    /** The server accepts writes and completes them. @param hasRoom whether its disk is known to have space again */
    usable(hasRoom: boolean): void {
      if (hindrance === "full" && !hasRoom) return;
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
    async failure(fault: unknown, explain: () => Promise<string>): Promise<void> {
      const reason = reasonOf(fault);
      if (!isServing || isAway || !isNews(reason)) return;
      const more = await explain().catch(() => "");
      const sentences = [reason.replace(/\.?$/, "."), more, "Requests that need it get 503."];
      warn(`${location}: ${sentences.filter((text) => text !== "").join(" ")}`);
    },
  };
}

/** Those of our own that are under way wait themselves, or are young. What another role's transaction does is not shown to us. */
const LOCK_HOLDERS = `SELECT DISTINCT ON (held.pid) format('%s on %s, held by process %s (%s, role %s)', held.mode,
    held.relation::regclass, held.pid, coalesce(nullif(activity.application_name, ''), 'unnamed'),
    coalesce(activity.usename, '?')) AS holder
  FROM pg_locks AS held JOIN pg_stat_activity AS activity ON activity.pid = held.pid
  WHERE held.locktype = 'relation' AND held.granted AND held.pid <> pg_backend_pid()
    AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND held.relation IN (SELECT oid FROM pg_class WHERE relnamespace = 'svc'::regnamespace AND relkind IN ('r', 'p'))
    AND NOT EXISTS (SELECT FROM pg_locks AS waiting WHERE waiting.pid = held.pid AND NOT waiting.granted)
    AND coalesce(clock_timestamp() - activity.xact_start > interval '1 s', true)
  ORDER BY held.pid, held.mode LIMIT 3`;

/** A sentence on why statements ran into their time limit: the transactions that others may wait for. */
export async function describeHolders(ask: Ask): Promise<string> {
  const rows = await ask<{ holder: string }>(LOCK_HOLDERS);
  if (rows.length === 0) return "No other transaction holds a lock on svc's tables: the database is slow.";
  return `Locks: ${rows.map(({ holder }) => holder).join("; ")}.`;
}

const SAY_AFTER_MS = 3000;

/** Waits for the other process that creates, fills or changes something, and says so if that takes long. */
export async function announceWait<T>(
  { location, warn }: { readonly location: string; readonly warn: Warn },
  locked: Promise<T>,
): Promise<T> {
  const text = `${location}: another process is creating, filling or changing the store. Waiting for it.`;
  const timer = setTimeout(() => warn(text), SAY_AFTER_MS);
  try {
    return await locked;
  } finally {
    clearTimeout(timer);
  }
}
