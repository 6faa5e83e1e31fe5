import { PREVIOUS_NAME, SNAPSHOT_NAME } from "../../../wire/control/bodies.ts";
import { ApiError } from "../../errors.ts";
import type { SnapshotInfo, Store } from "../../store/store.ts";
import type { ControlDeps, HandlersOf } from "../deps.ts";
import { pageOf } from "../lists.ts";

/** The newest of the snapshots that are saved before records are replaced. */
const PREVIOUS = "previous";
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

/** `previous-1`, `previous-2` and so on, the newest first. */
function previousOf(snapshots: readonly SnapshotInfo[]): SnapshotInfo[] {
  return snapshots.filter((snapshot) => numberOf(snapshot) > 0).toSorted((a, b) => numberOf(b) - numberOf(a));
}

function numberOf(snapshot: SnapshotInfo | undefined): number {
  return Number(PREVIOUS_NAME.exec(snapshot?.name ?? "")?.[1] ?? 0);
}

export const snapshotRoutes: HandlersOf<"/snapshots"> = {
  "GET /snapshots": async (call, deps) => {
    const snapshots = await deps.store.snapshots.list();
    const newestFirst = snapshots.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
    const all = newestFirst.map((snapshot) => ({ ...snapshot, id: snapshot.name }));
    return pageOf(call, deps, { name: "snapshots", all, present: snapshotResource });
  },

  "POST /snapshots": async ({ body }, { store, shared }) =>
    snapshotResource(await store.snapshots.save(body.name, shared.clock.real().toISOString())),

  "POST /snapshots/:name/restore": async ({ params }, deps) => {
    const { store, shared } = deps;
    const all = await store.snapshots.list();
    const snapshot = params.name === PREVIOUS ? previousOf(all)[0] : all.find(({ name }) => name === params.name);
    if (!snapshot) throw missing(params.name);
    const restore = async (): Promise<void> => {
      if (!(await store.snapshots.restore(snapshot.name))) throw missing(snapshot.name);
    };
    const [, previous] = await replaceRecords(deps, restore, snapshot.name);
    await shared.refreshEverywhere();
    const { data, ...resource } = snapshotResource(snapshot);
    return { ...resource, data: { ...data, previous } };
  },

  "DELETE /snapshots/:name": async ({ params }, { store }) => {
    const name = params.name;
    if (!SNAPSHOT_NAME.test(name) || !(await store.snapshots.delete(name))) throw missing(name);
    return { deleted: true, id: name };
  },
};

function missing(name: string): ApiError {
  return new ApiError("not_found", `there is no snapshot "${name}"`);
}

function snapshotResource({ name, created_at, records }: SnapshotInfo) {
  return { id: name, resource: "snapshot" as const, data: { name, created_at, records: { ...records } } };
}
