import { clearTimeout, setTimeout } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "./database/database.ts";
import { causeOf, isLocked } from "./database/failures.ts";

const AGAIN_MS = 200;
const SAY_AFTER_MS = 3000;

/** Waits for the other process that creates, fills or changes something, and says so if that takes long. */
export async function announceWait<T>(database: Database, locked: Promise<T>): Promise<T> {
  const timer = setTimeout(() => sayWaiting(database), SAY_AFTER_MS);
  try {
    return await locked;
  } finally {
    clearTimeout(timer);
  }
}

function sayWaiting({ location, warn }: Database): void {
  warn(`${location}: another process is creating, filling or changing the store. Waiting for it.`);
}

/**
 * Repeats an attempt while another process has the lock that it needs first, and says so if that takes long. A statement that
 * waits for a lock itself would hold up the creation of an index by that process, which waits for every older statement.
 * @param hasBegun whether the attempt has got that lock
 */
export async function inTurn<T>(database: Database, attempt: () => Promise<T>, hasBegun: () => boolean): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (hasBegun() || !isLocked(causeOf(error))) throw error;
        timer ??= setTimeout(() => sayWaiting(database), SAY_AFTER_MS);
        await sleep(AGAIN_MS);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}
