export type Semaphore = ReturnType<typeof createSemaphore>;

/** Lets a limited number of callers continue at a time: first come, first served. */
export function createSemaphore(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    /** False if it was not this caller's turn in time. */
    async acquire(ms: number): Promise<boolean> {
      if (free > 0) {
        free--;
        return true;
      }
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(taken), 1);
          resolve(false);
        }, ms);
        function taken(): void {
          clearTimeout(timer);
          resolve(true);
        }
        waiting.push(taken);
      });
    },

    release(): void {
      const next = waiting.shift();
      if (next) next();
      else free++;
    },
  };
}
