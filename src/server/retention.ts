import { setTimeout as delay } from "node:timers/promises";
import { MIN_RETENTION_MS, PRUNED_AT_ONCE } from "../wire/serve.ts";
import { durationMs } from "../text/time.ts";
import { StorageUnavailable, type Position, type Store } from "./store/store.ts";

export interface Retention {
  /** A duration such as `90d`: sessions with neither a sign-in nor a revocation for so long are deleted. */
  readonly sessions?: string | undefined;
}

const PAUSE_MS = 50;
const ROUND_MS = 3_600_000;
/** No shorter pause is doubted: nights and holidays are pauses too. */
const MIN_PAUSE_MS = 30 * 86_400_000;

export const RETENTION_FORM = "must be a duration of an hour or more, such as 90d or 12w";

/** Milliseconds of a time for which sessions are kept. Undefined if it is not a duration, or too short. */
export function retentionMs(text: string): number | undefined {
  const ms = durationMs(text);
  return ms !== undefined && ms >= MIN_RETENTION_MS ? ms : undefined;
}

interface RetentionDeps {
  readonly store: Pick<Store, "pruneSessions" | "sessions">;
  instances(): readonly string[];
  now(): Date;
  /** Called with what each round did. */
  log(message: string): void;
  /** Called with how many sessions of an instance are deleted. */
  onPruned(instance_id: string, count: number): void;
  onBug(error: unknown): void;
}

/**
 * Deletes old sessions, at once and then every hour, until the signal aborts. Several servers of a database may do so at
 * the same time.
 */
export async function keepRetention(
  { store, instances, now, log, onPruned, onBug }: RetentionDeps,
  { sessions }: Retention,
  stopped: AbortSignal,
): Promise<void> {
  const age = sessions === undefined ? undefined : retentionMs(sessions);
  if (age === undefined) return;
  const pause = (ms: number): Promise<unknown> =>
    delay(ms, undefined, { ref: false, signal: stopped }).catch(() => undefined);
  async function round(): Promise<void> {
    const time = now().getTime();
    const before = time - age!;
    const doubted = await pauseBefore(store, instances(), { now: time, before, length: Math.max(age!, MIN_PAUSE_MS) });
    if (doubted) return log(`retention skipped a round: ${doubt(doubted, sessions!)}`);
    let deleted = 0;
    for (const id of instances()) deleted += await prune(id, iso(before));
    log(`retention deleted ${deleted} sessions with neither a sign-in nor a revocation since ${iso(before)}`);
  }
  async function prune(id: string, before: string): Promise<number> {
    let deleted = 0;
    try {
      for (; ; await pause(PAUSE_MS)) {
        const count = stopped.aborted ? 0 : await store.pruneSessions(id, before, PRUNED_AT_ONCE);
        deleted += count;
        if (count < PRUNED_AT_ONCE) return deleted;
      }
    } finally {
      // Also what was deleted before the store went away.
      if (deleted > 0) onPruned(id, deleted);
    }
  }
  while (!stopped.aborted) {
    // A store that is away says so itself, and the next round does what this one could not.
    await round().catch((error: unknown) => error instanceof StorageUnavailable || onBug(error));
    await pause(ROUND_MS);
  }
}

/** Without a sign-in or a revocation, in milliseconds since 1970. */
interface Pause {
  readonly from: number;
  readonly to: number;
}

/**
 * The last pause with sessions before it that a round would delete. A clock that jumps ahead makes one, and later sign-ins
 * don't close it. Undefined if there is none of that length.
 */
async function pauseBefore(
  store: Pick<Store, "sessions">,
  instances: readonly string[],
  { now, before, length }: { readonly now: number; readonly before: number; readonly length: number },
): Promise<Pause | undefined> {
  /** The first and the last time in each `length` of time: no pause of that length is within one. */
  const spans = new Map<number, Pause>();
  let oldest = Infinity;
  for (const id of instances)
    for await (const batch of store.sessions(id, { after: upTo(before - 1) }))
      for (const { last_signin_at, revoked_at } of batch) {
        const times = [last_signin_at, revoked_at ?? last_signin_at].map((text) => Date.parse(text));
        if (times.every((time) => time < before)) oldest = Math.min(oldest, ...times);
        for (const time of times.filter((one) => one < before)) {
          const { from, to } = spans.get(Math.floor(time / length)) ?? { from: time, to: time };
          spans.set(Math.floor(time / length), { from: Math.min(from, time), to: Math.max(to, time) });
        }
      }
  const newestFirst = [...spans.values()].toSorted((a, b) => b.from - a.from);
  if (oldest === Infinity) return undefined;
  const end = newestFirst[0]!.to;
  const following = await lastSignIn(store, instances, end + length - 1);
  let to = following > end ? following : now;
  for (const span of newestFirst) {
    if (to - span.to >= length && oldest <= span.to) return { from: span.to, to };
    to = span.from;
  }
  return undefined;
}

/** The time of the last sign-in, of all instances, that was not after a time. */
async function lastSignIn(store: Pick<Store, "sessions">, instances: readonly string[], time: number): Promise<number> {
  let last = -Infinity;
  for (const id of instances)
    for await (const [first] of store.sessions(id, { limit: 1, after: upTo(time) }))
      if (first) last = Math.max(last, Date.parse(first.last_signin_at));
  return last;
}

const iso = (time: number): string => new Date(time).toISOString();
/** The place in the list of sessions before those of a time. */
const upTo = (time: number): Position => ({ time: iso(time), id: "" });

function doubt({ from, to }: Pause, kept: string): string {
  return `there was neither a sign-in nor a revocation from ${iso(from)} to ${iso(to)}, which a wrong clock looks like too. If it was so, delete the sessions before with: svc sessions prune --before ${kept}`;
}
