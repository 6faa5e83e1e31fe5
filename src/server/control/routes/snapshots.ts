import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { Refusal } from "../../errors.ts";
import type { SnapshotInfo } from "../../store/store.ts";
import { SNAPSHOT_NAME } from "../../../wire/control/bodies.ts";
import { listInMemory } from "../lists.ts";

import { PREVIOUS, previousOf, replaceRecords } from "../replace-records.ts";

export const snapshotRoutes = (deps: ControlDeps): ControlHandlers<"/snapshots"> => ({
  "GET /snapshots": async (call) => {
    const snapshots = await deps.store.snapshots.list();
    const newestFirst = snapshots.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
    const all = newestFirst.map((snapshot) => ({ ...snapshot, id: snapshot.name }));
    return listInMemory(call, deps, { name: "snapshots", all, present: snapshotResource });
  },

  "POST /snapshots": async ({ body }) =>
    snapshotResource(await deps.store.snapshots.save(body.name, deps.shared.clock.real().toISOString())),

  "POST /snapshots/:name/restore": async ({ event, params }) => {
    const { store, shared } = deps;
    const all = await store.snapshots.list();
    const snapshot = params.name === PREVIOUS ? previousOf(all)[0] : all.find(({ name }) => name === params.name);
    if (!snapshot) throw missing(params.name);
    const restore = async (): Promise<void> => {
      if (!(await store.snapshots.restore(snapshot.name))) throw missing(snapshot.name);
    };
    const [, previous] = await replaceRecords(deps, restore);
    deps.audit(event, { action: "snapshot_restored", id: snapshot.name, count: snapshot.records.users });
    await shared.refreshEverywhere();
    const { data, ...resource } = snapshotResource(snapshot);
    return { ...resource, data: { ...data, previous } };
  },

  "DELETE /snapshots/:name": async ({ event, params }) => {
    const name = params.name;
    if (!SNAPSHOT_NAME.test(name) || !(await deps.store.snapshots.delete(name))) throw missing(name);
    deps.audit(event, { action: "snapshot_deleted", id: name });
    return { deleted: true, id: name };
  },
});

function missing(name: string): Refusal {
  return new Refusal("not_found", `there is no snapshot "${name}"`);
}

function snapshotResource({ name, created_at, records }: SnapshotInfo) {
  return { id: name, resource: "snapshot" as const, data: { name, created_at, records: { ...records } } };
}
