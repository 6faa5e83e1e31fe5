import type { Store } from "../store/store.ts";
import type { Choice } from "./choice.ts";

export interface ArrangeDeps {
  readonly store: Store;
  now(): Date;
}

/** Prepares the records that an outcome needs before the callback. */
export async function arrange({ store, now }: ArrangeDeps, { state, outcome }: Choice): Promise<void> {
  if (outcome !== "state_expired") return;
  const expires_at = new Date(now().getTime() - 1000).toISOString();
  await store.change("states", state, (before) => before && { ...before, expires_at });
}
