import { StorageUnavailable } from "../store.ts";
import type { Database } from "./database/database.ts";
import type { Semaphore } from "./database/pool.ts";

export type Readers = ReturnType<typeof createReaders>;

/** How often the positions are compared while lists are read. */
const COMPARE_EVERY_MS = 500;
/** How long a replica that could not be read is left alone. */
const LEFT_ALONE_MS = 5000;
const COMPARE_WITHIN_MS = 1000;

/** In bytes from the beginning of the log: a text, because it may be beyond what a number holds. */
const WRITTEN = "SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::text AS position";
const REPLAYED = `SELECT (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::text AS position WHERE pg_is_in_recovery()`;

export function createReaders(primary: Database, replicas: Database | undefined) {
  if (!replicas) return { primary, replica: async () => undefined, close: async () => {} };
  const { location, warn } = replicas;
  const maxLagMs = replicas.limits.searchLagMs;
  /** Where the primary was, and when, oldest first. */
  let marks: { readonly at: number; readonly position: bigint }[] = [];
  /** The replica shows at least what the primary had then. */
  let shown = -Infinity;
  let compared = -Infinity;
  let comparing: Promise<void> | undefined;
  let isUsed = true;

  async function compare(): Promise<void> {
    const at = performance.now();
    compared = at;
    const until = at + COMPARE_WITHIN_MS;
    try {
      const [written] = await primary.query<{ position: string }>(WRITTEN, [], { isSearch: true, until });
      marks = [...marks.filter((mark) => at - mark.at <= maxLagMs), { at, position: BigInt(written!.position) }];
      const [replayed] = await replicas!.query<{ position: string }>(REPLAYED, [], { isSearch: true, until });
      // A replica that was promoted has no position to compare.
      const position = replayed ? BigInt(replayed.position) : -1n;
      shown = marks.findLast((mark) => mark.position <= position)?.at ?? -Infinity;
      note(shown > -Infinity || at - marks[0]!.at < maxLagMs / 2, `more than ${maxLagMs / 1000} s behind the primary`);
    } catch (error) {
      shown = -Infinity;
      compared = performance.now() + LEFT_ALONE_MS;
      note(false, (error as Error).message);
    }
  }

  function note(isUsable: boolean, why: string): void {
    if (isUsable === isUsed) return;
    isUsed = isUsable;
    warn(
      isUsable
        ? `${location}: lists and searches are read there again.`
        : `${location}: ${why}. Lists and searches are read from the primary.`,
    );
  }

  return {
    primary,
    /** A replica, if one shows what the primary had a short while ago. */
    async replica(): Promise<Database | undefined> {
      if (performance.now() - compared > COMPARE_EVERY_MS)
        comparing ??= compare().finally(() => (comparing = undefined));
      if (performance.now() - shown > maxLagMs) await comparing;
      return performance.now() - shown <= maxLagMs ? replicas : undefined;
    },
    close: replicas.close,
  };
}

/** Waits for one of a database's connections for lists. @throws {StorageUnavailable} if none is free in time */
export async function turn({ location, limits }: Database, semaphore: Semaphore): Promise<void> {
  if (await semaphore.acquire(limits.answerWithinMs)) return;
  throw new StorageUnavailable(
    `${location}: all connections for lists are busy. Raise list_connections in its address.`,
  );
}
