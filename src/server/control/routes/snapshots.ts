import { SNAPSHOT_NAME } from "../../../wire/control/bodies.ts";
import { ApiError } from "../../errors.ts";
import type { SnapshotInfo } from "../../store/store.ts";
import type { HandlersOf } from "../handler.ts";
import { pageOf } from "../lists.ts";

/** Saved before all records are replaced. */
export const PREVIOUS = "previous";

export const snapshotRoutes: HandlersOf<"/snapshots"> = {
  "GET /snapshots": async (call, deps) => {
    const snapshots = await deps.store.snapshots.list();
    const newestFirst = snapshots.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
    const all = newestFirst.map((snapshot) => ({ ...snapshot, id: snapshot.name }));
    return pageOf(call, deps, { name: "snapshots", all, present: snapshotResource });
  },

  "POST /snapshots": async ({ body }, { store, live }) =>
    snapshotResource(await store.snapshots.save(body.name, live.clock.real().toISOString())),

  "POST /snapshots/:name/restore": async ({ params }, { store, live }) => {
    const snapshot = (await store.snapshots.list()).find(({ name }) => name === params.name);
    if (!snapshot) throw missing(params.name);
    // Saving may replace the snapshot that is being restored.
    const isPrevious = snapshot.name === PREVIOUS;
    if (!isPrevious) await store.snapshots.save(PREVIOUS, live.clock.real().toISOString());
    if (!(await store.snapshots.restore(snapshot.name))) throw missing(snapshot.name);
    await live.refreshEverywhere();
    return snapshotResource(snapshot);
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
