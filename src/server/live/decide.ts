import type { Decide } from "../simulator/answer.ts";
import type { Simulator } from "../simulator/index.ts";
import type { Store } from "../store/store.ts";
import type { Live } from "./index.ts";
import { matchScenario } from "./match-scenario.ts";

/** Has the scenarios decide about sign-ins. Without any it costs nothing. */
export function createDecide({
  store,
  live,
  simulator,
}: {
  readonly store: Store;
  readonly live: Live;
  readonly simulator: Simulator;
}): Decide {
  const isSameAccount = (one: string, other: string): boolean => {
    const name = (hint: string): string => simulator.personas.find(hint)?.id ?? hint.toLowerCase();
    return name(one) === name(other);
  };
  const deps = {
    store,
    live,
    isSameAccount,
    hasAccount: (name: string, provider: Parameters<Simulator["hasAccount"]>[0]) =>
      simulator.hasAccount(provider, name),
  };
  return async ({ provider, state, login_hint, label }) => {
    if (live.scenarios.length === 0) return { decision: undefined, considered: [] };
    const instance = (await store.find("states", state))?.instance_id;
    const { scenario, considered } = await matchScenario(deps, {
      provider,
      state,
      instance,
      browser: label,
      login_hint,
    });
    const decision = scenario && {
      as: scenario.as ?? login_hint,
      outcome: scenario.outcome,
      delay_ms: scenario.delay_ms,
    };
    return { decision, considered };
  };
}
