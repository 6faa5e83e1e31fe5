import { StorageUnavailable } from "../store.ts";
import type { Log } from "./commits.ts";
import type { FilesOptions } from "./files.ts";

/** Times each write, and says once when nothing can be written, and when that is over. */
export function observed(log: Log, location: string, { warn, onCommit }: FilesOptions): Log {
  let isAway = false;

  async function watch(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      if (isAway) warn(`${location} is available again.`);
      isAway = false;
    } catch (error) {
      const isOutage = error instanceof StorageUnavailable && error.code !== "store_closed";
      if (isOutage && !isAway)
        warn(`${location} is unavailable: ${error.message}. Requests that change something get 503 until it is back.`);
      isAway ||= isOutage;
      throw error;
    }
  }

  return {
    append: (changes) =>
      watch(async () => {
        const started = performance.now();
        await log.append(changes);
        onCommit?.((performance.now() - started) / 1000);
      }),
    probe: () => watch(() => log.probe()),
    replace: (document, publish) => watch(() => log.replace(document, publish)),
  };
}
