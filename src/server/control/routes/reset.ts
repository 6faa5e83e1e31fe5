import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { Refusal } from "../../errors.ts";
import { SCENARIO_PREFIX } from "../../scenarios/scenarios.ts";
import { requireInstance } from "../look-up.ts";
import { SEEDED } from "../../store/store.ts";

import { replaceRecords } from "../replace-records.ts";

export const resetRoutes = (deps: ControlDeps): ControlHandlers<"/reset"> => ({
  "POST /reset": async ({ event, body }) => {
    const { store, shared } = deps;
    const instance = "instance" in body ? requireInstance(deps, body.instance) : undefined;
    const before = await store.counts();
    const [, snapshot] = await replaceRecords(deps, async () => {
      if (instance) await store.clearInstance(instance.id);
      else if (!(await store.snapshots.restore(SEEDED, SCENARIO_PREFIX)))
        throw new Refusal("conflict", "this store does not know its seed; start svc with --reset once");
    });
    const { instances, users, sessions } = await store.counts();
    const count = instance ? before.users - users : before.users;
    deps.audit(event, { action: "records_reset", ...(instance && { instance_id: instance.id }), count });
    await shared.refreshEverywhere();
    return { reset: true, instances, users, sessions, snapshot };
  },
});
