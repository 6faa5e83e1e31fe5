/** Limits an `LRUCache` that grows as it is filled: its own `max` would allocate memory for all entries at once. */
export const cacheLimit = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
