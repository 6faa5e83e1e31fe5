import { ApiError } from "../../errors.ts";
import { SCENARIO_PREFIX } from "../../shared-state/shared-state.ts";
import { requireInstance } from "../records.ts";
import type { Handlers } from "../handler.ts";
import { SEEDED } from "../../store/store.ts";
import { replaceRecords } from "./snapshots.ts";

export const resetRoutes: Pick<Handlers, "POST /reset"> = {
  "POST /reset": async ({ body }, deps) => {
    const { store, shared } = deps;
    const instance = "instance" in body ? requireInstance(deps, body.instance) : undefined;
    const [, snapshot] = await replaceRecords(deps, async () => {
      if (instance) await store.clearInstance(instance.id);
      else if (!(await store.snapshots.restore(SEEDED, SCENARIO_PREFIX)))
        throw new ApiError("conflict", "this store does not know its seed; start svc with --reset once");
    });
    await shared.refreshEverywhere();
    const { instances, users, sessions } = await store.counts();
    return { reset: true, instances, users, sessions, snapshot };
  },
};
