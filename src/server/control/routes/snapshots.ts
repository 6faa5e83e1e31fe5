import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { Refusal } from "../../errors.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { SnapshotInfo } from "../../store/store.ts";
import { SNAPSHOT_NAME } from "../../../wire/control/bodies.ts";
import { listInMemory } from "../lists.ts";
import { requireInstance } from "../look-up.ts";

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

  "GET /snapshots/:name": async ({ params, query }) => {
    const { snapshots } = deps.store;
    const snapshot = await requireSnapshot(deps, params.name);
    if (query.instance === undefined) return snapshotResource(snapshot);
    const instance = requireInstance(deps, query.instance);
    const records = await snapshots.countsOf(snapshot.name, instance.id);
    if (!records) throw lacking(snapshot.name, instance);
    return snapshotResource({ ...snapshot, records });
  },

  "POST /snapshots/:name/restore": async ({ event, params, body }) => {
    const { snapshots } = deps.store;
    const instance = body.instance === undefined ? undefined : requireInstance(deps, body.instance);
    const snapshot = await requireSnapshot(deps, params.name);
    const { name } = snapshot;
    const [records, previous] = await replaceRecords(deps, async () => {
      if (!instance) {
        if (!(await snapshots.restore(name))) throw missing(name);
        return snapshot.records;
      }
      const restored = await snapshots.restoreInstance(name, instance.id);
      if (!restored) throw lacking(name, instance);
      return restored;
    });
    const of = instance && { instance_id: instance.id };
    deps.audit(event, { action: "snapshot_restored", ...of, id: name, count: records.users });
    // Of users and sessions no process keeps a copy.
    if (!instance) await deps.shared.refreshEverywhere();
    const { data, ...resource } = snapshotResource({ ...snapshot, records });
    return { ...resource, data: { ...data, previous } };
  },

  "DELETE /snapshots/:name": async ({ event, params }) => {
    const name = params.name;
    if (!SNAPSHOT_NAME.test(name) || !(await deps.store.snapshots.delete(name))) throw missing(name);
    deps.audit(event, { action: "snapshot_deleted", id: name });
    return { deleted: true, id: name };
  },
});

/** `previous` is the newest of those that the server has saved itself. */
async function requireSnapshot({ store }: ControlDeps, name: string): Promise<SnapshotInfo> {
  const all = await store.snapshots.list();
  const snapshot = name === PREVIOUS ? previousOf(all)[0] : all.find((one) => one.name === name);
  if (!snapshot) throw missing(name);
  return snapshot;
}

function missing(name: string): Refusal {
  return new Refusal("not_found", `there is no snapshot "${name}"`);
}

function lacking(name: string, { subdomain }: InstanceRecord): Refusal {
  const detail = `the snapshot "${name}" does not have the instance ${subdomain}; it was saved before that was created`;
  return new Refusal("not_found", detail);
}

function snapshotResource({ name, created_at, records }: Omit<SnapshotInfo, "records"> & { records: object }) {
  return { id: name, resource: "snapshot" as const, data: { name, created_at, records: { ...records } } };
}
