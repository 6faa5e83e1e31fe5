/** A number of places that are taken and given back, first come, first served. */
export interface Slots {
  /** False: none became free in time. */
  take(ms: number): Promise<boolean>;
  give(): void;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    take(ms) {
      if (free > 0) {
        free--;
        return Promise.resolve(true);
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

    give() {
      const next = waiting.shift();
      if (next) next();
      else free++;
    },
  };
}
