import type { Store } from "./store.ts";

type Value = Record<string, unknown>;

/**
 * Changes one of the values that are kept beside the records, in one step over all processes.
 * @param decide as of `Store.change`: undefined removes it
 * @returns what it is now
 */
export async function changeSetting(
  store: Store,
  name: string,
  decide: (before: Value | undefined) => Value | undefined,
): Promise<Value | undefined> {
  const changed = await store.change("settings", name, (before) => {
    const value = decide(before?.value);
    // What stays as it is is not written.
    if (before && value === before.value) return before;
    return value && { name, value };
  });
  return changed?.value;
}
