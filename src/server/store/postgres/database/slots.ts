export type Slots = ReturnType<typeof createSlots>;

/** A limited number of slots, first come, first served. */
export function createSlots(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    /** False if none became free in time. */
    async take(ms: number): Promise<boolean> {
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

    give(): void {
      const next = waiting.shift();
      if (next) next();
      else free++;
    },
  };
}
