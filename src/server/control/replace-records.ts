import type { ControlDeps } from "./deps.ts";
import type { SnapshotInfo, Store } from "../store/store.ts";
import { PREVIOUS_NAME } from "../../wire/control/bodies.ts";

/** The newest of the snapshots that are saved before records are replaced. */
export const PREVIOUS = "previous";
const KEPT = 5;
const turns = new WeakMap<Store, Promise<unknown>>();

/**
 * Saves what is there, then replaces it: one replacement after the other, so that none saves what another has emptied.
 * @param restored a snapshot that is still needed
 * @returns what was replaced, and the name of the snapshot that undoes it
 */
export function replaceRecords<Result>(
  { store, shared }: Pick<ControlDeps, "store" | "shared">,
  replace: () => Promise<Result>,
  restored?: string,
): Promise<readonly [Result, string]> {
  const act = async (): Promise<readonly [Result, string]> => {
    const saved = previousOf(await store.snapshots.list());
    for (const { name } of saved.slice(KEPT - 1)) if (name !== restored) await store.snapshots.delete(name);
    const name = `${PREVIOUS}-${numberOf(saved[0]) + 1}`;
    await store.snapshots.save(name, shared.clock.real().toISOString());
    return [await replace(), name];
  };
  const turn = (turns.get(store) ?? Promise.resolve()).then(act, act);
  turns.set(store, turn);
  return turn;
}

export function previousOf(snapshots: readonly SnapshotInfo[]): SnapshotInfo[] {
  return snapshots.filter((snapshot) => numberOf(snapshot) > 0).toSorted((a, b) => numberOf(b) - numberOf(a));
}

function numberOf(snapshot: SnapshotInfo | undefined): number {
  return Number(PREVIOUS_NAME.exec(snapshot?.name ?? "")?.[1] ?? 0);
}
