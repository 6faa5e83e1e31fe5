import type { Store } from "./store.ts";

type Value = Record<string, unknown>;

/**
 * Changes a setting, in one step over all processes.
 * @param decide as for `Store.change`
 * @returns the new value
 */
export async function changeSetting(
  store: Store,
  name: string,
  decide: (before: Value | undefined) => Value | undefined,
): Promise<Value | undefined> {
  const changed = await store.change("settings", name, (before) => {
    const value = decide(before?.value);
    // An unchanged value is not written.
    if (before && value === before.value) return before;
    return value && { name, value };
  });
  return changed?.value;
}

/** @returns false if there was none */
export async function deleteSetting(store: Store, name: string): Promise<boolean> {
  let wasThere = false;
  await changeSetting(store, name, (before) => {
    wasThere = before !== undefined;
    return undefined;
  });
  return wasThere;
}
