// Not the global timers, which a test may have replaced.
import { clearTimeout, setTimeout } from "node:timers";
import { hanging } from "./refusals.ts";

const PATIENCE_MS = 4000;
/** A process that could not run for that long hears only now what the disk answered in time. */
const HEARING_MS = 500;
/** Less than any disk that works writes in a second. */
const RECORDS_PER_SECOND = 5000;

/** Whether the caller was told that the action failed. It must have no effect then. */
export type IsGivenUp = () => boolean;

/** Waits for a disk that may hang: its calls can't be ended, and take as long as they take. */
export class Patience {
  readonly #path: string;
  /** The actions that were given up and have not ended. */
  #hanging = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * The result of an action, unless it takes too long. While one that was given up has not ended, no other is begun.
   * @param records how many it writes
   * @throws {StorageUnavailable} and what the action throws
   */
  async run<T>(action: (isGivenUp: IsGivenUp) => Promise<T>, records = 0): Promise<T> {
    if (this.#hanging > 0) throw hanging(this.#path);
    let isGivenUp = false;
    let timer: NodeJS.Timeout | undefined;
    const acting = action(() => isGivenUp);
    const late = new Promise<never>((_, reject) => {
      const giveUp = (): void => {
        isGivenUp = true;
        this.#hanging++;
        const end = (): void => void this.#hanging--;
        acting.then(end, end);
        reject(hanging(this.#path));
      };
      const listen = (): void => void (timer = setTimeout(giveUp, HEARING_MS));
      timer = setTimeout(listen, PATIENCE_MS + (records / RECORDS_PER_SECOND) * 1000);
    });
    try {
      return await Promise.race([acting, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
