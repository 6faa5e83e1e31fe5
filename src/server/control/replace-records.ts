import { Refusal } from "../errors.ts";
import type { ControlDeps } from "./deps.ts";
import type { SnapshotInfo, Store } from "../store/store.ts";
import { PREVIOUS_NAME } from "../../wire/control/bodies.ts";

/** The newest of the snapshots that are saved before records are replaced. */
export const PREVIOUS = "previous";
const KEPT = 5;
const turns = new WeakMap<Store, Promise<unknown>>();

/**
 * Saves what is there, then replaces it: one replacement after the other, so that none saves what another has emptied.
 * One that is refused leaves no snapshot, and takes the place of none.
 * @returns what was replaced, and the name of the snapshot that undoes it
 */
export function replaceRecords<Result>(
  { store, shared }: Pick<ControlDeps, "store" | "shared">,
  replace: () => Promise<Result>,
): Promise<readonly [Result, string]> {
  const act = async (): Promise<readonly [Result, string]> => {
    const { snapshots } = store;
    const saved = previousOf(await snapshots.list());
    const name = `${PREVIOUS}-${numberOf(saved[0]) + 1}`;
    await snapshots.save(name, shared.clock.real().toISOString());
    const result = await replace().catch(async (error: unknown) => {
      // After any other error something may have been replaced.
      if (error instanceof Refusal) await snapshots.delete(name);
      throw error;
    });
    for (const older of saved.slice(KEPT - 1)) await snapshots.delete(older.name);
    return [result, name];
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
