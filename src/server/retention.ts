import { setTimeout as delay } from "node:timers/promises";
import { MIN_RETENTION_MS, PRUNED_AT_ONCE } from "../wire/serve.ts";
import { durationMs } from "../wire/text/time.ts";
import { StorageUnavailable, type Store } from "./store/store.ts";

/** How long records are kept. Default: until their user is deleted. */
export interface Retention {
  /** A duration such as `90d`: sessions with neither a sign-in nor a revocation for so long are deleted. */
  readonly sessions?: string | undefined;
}

const PAUSE_MS = 50;
const ROUND_MS = 3_600_000;

export const RETENTION_FORM = "must be a duration of an hour or more, such as 90d or 12w";

/** Milliseconds of a time for which sessions are kept. Undefined if it is not a duration, or too short. */
export function retentionMs(text: string): number | undefined {
  const ms = durationMs(text);
  return ms !== undefined && ms >= MIN_RETENTION_MS ? ms : undefined;
}

interface RetentionDeps {
  readonly store: Pick<Store, "pruneSessions" | "sessions">;
  /** The ids of the current instances. */
  instances(): readonly string[];
  now(): Date;
  /** Called with what each round did. */
  log(message: string): void;
  onBug(error: unknown): void;
}

/**
 * Deletes old sessions, at once and then every hour, until the signal aborts. Several servers of a database may do so at
 * the same time.
 */
export async function keepRetention(
  { store, instances, now, log, onBug }: RetentionDeps,
  { sessions }: Retention,
  stopped: AbortSignal,
): Promise<void> {
  const age = sessions === undefined ? undefined : retentionMs(sessions);
  if (age === undefined) return;
  const pause = (ms: number): Promise<unknown> =>
    delay(ms, undefined, { ref: false, signal: stopped }).catch(() => undefined);
  async function round(): Promise<void> {
    const before = new Date(now().getTime() - age!).toISOString();
    const newest = await newestOf(store, instances());
    if (newest === undefined) return;
    // A clock that is wrong would else take them all.
    if (newest < before) return log(`retention skipped a round: ${everySession(before, newest, now())}`);
    let deleted = 0;
    for (const id of instances()) deleted += await prune(id, before);
    log(`retention deleted ${deleted} sessions with neither a sign-in nor a revocation since ${before}`);
  }
  async function prune(id: string, before: string): Promise<number> {
    for (let deleted = 0; ; await pause(PAUSE_MS)) {
      const count = stopped.aborted ? 0 : await store.pruneSessions(id, before, PRUNED_AT_ONCE);
      deleted += count;
      if (count < PRUNED_AT_ONCE) return deleted;
    }
  }
  while (!stopped.aborted) {
    // A store that is away says so itself, and the next round does what this one could not.
    await round().catch((error: unknown) => error instanceof StorageUnavailable || onBug(error));
    await pause(ROUND_MS);
  }
}

/** When the last sign-in of all instances was. Undefined if there is no session. */
async function newestOf(store: Pick<Store, "sessions">, instances: readonly string[]): Promise<string | undefined> {
  let newest: string | undefined;
  for (const id of instances)
    for await (const [first] of store.sessions(id, { limit: 1 }))
      if (first && first.last_signin_at > (newest ?? "")) newest = first.last_signin_at;
  return newest;
}

function everySession(before: string, newest: string, now: Date): string {
  return `every session is older than ${before}. The newest is of ${newest}, and the clock says ${now.toISOString()}. If the clock is right, delete them with svc sessions prune.`;
}
