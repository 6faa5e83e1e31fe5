import { PROVIDERS } from "../../../wire/providers.ts";
import { VERSION } from "../../../wire/version.ts";
import { describeProvider } from "../../providers/offers.ts";
import type { HandlersOf } from "../handler.ts";

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
