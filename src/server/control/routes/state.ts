import { PROVIDERS } from "../../../wire/providers.ts";
import { VERSION } from "../../../wire/version.ts";
import { describeProvider } from "../../providers/offers.ts";
import type { HandlersOf, Handlers } from "../deps.ts";
import { ApiError } from "../../errors.ts";
import { SCENARIO_PREFIX } from "../../shared-state/shared-state.ts";
import { requireInstance } from "../records.ts";
import { SEEDED } from "../../store/store.ts";
import { replaceRecords } from "./snapshots.ts";

export const stateRoutes: HandlersOf<"/state"> = {
  "GET /state": async (_, { store, shared, instances, offers }) => {
    const { users, sessions } = await store.counts();
    const kinds = PROVIDERS.map((name) => [name, describeProvider(name, instances.all, offers)] as const);
    const clock = shared.clock.read();
    return {
      version: VERSION,
      now: clock.now,
      clock,
      store: store.location,
      providers: Object.fromEntries(kinds) as Record<(typeof PROVIDERS)[number], (typeof kinds)[number][1]>,
      instances: instances.all.length,
      users,
      sessions,
      estimated: Math.max(users, sessions) > (store.maxCounted ?? Infinity),
    };
  },
};

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
