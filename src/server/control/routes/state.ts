import { PROVIDERS } from "../../../wire/providers.ts";
import { VERSION } from "../../../wire/version.ts";
import { describeProvider } from "../../providers/offers.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { isWaitingForAnybody, scenarioResource } from "./scenarios.ts";

export const stateRoutes = (deps: ControlDeps): ControlHandlers<"/state"> => ({
  "GET /state": async () => {
    const { users, sessions } = await deps.store.counts();
    const kinds = PROVIDERS.map((name) => [name, describeProvider(name, deps.instances.all, deps.offers)] as const);
    const clock = deps.shared.clock.read();
    return {
      version: VERSION,
      now: clock.now,
      clock,
      store: deps.store.location,
      providers: Object.fromEntries(kinds) as Record<(typeof PROVIDERS)[number], (typeof kinds)[number][1]>,
      instances: deps.instances.all.length,
      users,
      sessions,
      scenarios: deps.shared.scenarios.known.filter(isWaitingForAnybody).toReversed().map(scenarioResource),
      estimated: Math.max(users, sessions) > (deps.store.maxCounted ?? Infinity),
    };
  },
});
