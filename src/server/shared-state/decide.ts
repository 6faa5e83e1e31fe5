import { hash } from "node:crypto";
import { causeOf, delaysOf } from "../../wire/control/scenarios.ts";
import type { Arrival, Decide } from "../simulator/decision.ts";
import type { Simulator } from "../simulator/simulator.ts";
import { impossibility } from "../simulator/outcomes.ts";
import { changeSetting } from "../store/settings.ts";
import type { Store } from "../store/store.ts";
import { remainingOf, SCENARIO_PREFIX, type Scenario, type SharedState } from "./shared-state.ts";

interface DecideDeps {
  readonly store: Store;
  readonly shared: SharedState;
  readonly simulator: Pick<Simulator, "personas" | "hasAccount">;
}

/** Maximum number of states that a scenario remembers, so that a reload repeats its decision. */
const MAX_STATES = 1000;

/**
 * Lets scenarios decide a sign-in. A scenario is counted down atomically over all processes, once per state: the same state
 * gets the same scenario again.
 */
export async function decide(deps: DecideDeps, arrival: Arrival): ReturnType<Decide> {
  const { shared, simulator } = deps;
  const considered: { scenario: string; because: string }[] = [];
  const { asked, login_hint } = arrival;
  const digest = hash("sha256", asked.flow_id ?? "", "base64").slice(0, 22);
  for (const scenario of inOrder(shared.scenarios, digest)) {
    const because = mismatch(scenario, arrival, simulator, digest);
    const taken = because === undefined ? await take(deps, scenario, digest) : undefined;
    considered.push({ scenario: scenario.id, because: because ?? (taken ? "matched" : "used up") });
    if (!taken) continue;
    const { id, label, as, outcome, delay_ms, profile } = taken;
    const cause = causeOf({ outcome, delay_ms, changesProfile: profile !== undefined });
    const chosen = cause === null ? undefined : ({ by: "scenario", cause } as const);
    const decision = { as: as ?? login_hint, outcome, chosen, delays: delaysOf(delay_ms), profile };
    return { decision, scenario: { id, label, cause }, considered };
  }
  return { decision: undefined, scenario: null, considered };
}

/** First the scenario that already decided this state, then counted ones by age, then standing ones, newest first. */
function inOrder(scenarios: readonly Scenario[], digest: string): Scenario[] {
  const rank = (scenario: Scenario): number => (scenario.states.includes(digest) ? 0 : scenario.times !== null ? 1 : 2);
  return scenarios.toSorted((a, b) => rank(a) - rank(b) || (a.times === null ? b.order - a.order : a.order - b.order));
}

/** Why a scenario does not apply to a sign-in; undefined if it does. */
function mismatch(
  scenario: Scenario,
  { asked, instance_id, labelledBrowser: browser, login_hint, needsClick, outcome: wanted }: Arrival,
  simulator: DecideDeps["simulator"],
  digest: string,
): string | undefined {
  const { match, as, outcome, states } = scenario;
  const { provider } = asked;
  if (remainingOf(scenario) === 0 && !states.includes(digest)) return "used up";
  if (wanted !== undefined) return `the sign-in named its own outcome, ${wanted}`;
  if (match.provider !== undefined && match.provider !== provider) return `it is for ${match.provider}`;
  if (match.instance !== undefined && match.instance !== instance_id) return "it is for another instance";
  if (match.browser !== undefined && match.browser !== browser?.id && match.browser !== browser?.label)
    return browser ? "it is for another browser" : "it is for a browser with a label, and this one has none";
  if (needsClick && match.browser === undefined)
    return "a page of another site began the sign-in, and the client has redirect_uris beyond this machine";
  const isHinted = (account: string): boolean =>
    login_hint !== undefined && nameOf(account, simulator) === nameOf(login_hint, simulator);
  if (match.login_hint !== undefined && !isHinted(match.login_hint))
    return login_hint === undefined ? "the sign-in has no login_hint" : "the sign-in has another login_hint";
  if (as !== null && login_hint !== undefined && !isHinted(as)) return "the sign-in's login_hint names another account";
  const impossible = impossibility(outcome, provider, asked.instance_id !== undefined);
  if (impossible !== undefined) return impossible;
  if (as !== null && !simulator.hasAccount(provider, as)) return `its account has none at ${provider}`;
  return undefined;
}

/** The id of an account that is named by id or e-mail address. */
function nameOf(account: string, { personas }: DecideDeps["simulator"]): string {
  return personas.find(account)?.id ?? account.toLowerCase();
}

async function take({ store, shared }: DecideDeps, { id }: Scenario, digest: string): Promise<Scenario | undefined> {
  let taken: Scenario | undefined;
  await changeSetting(store, SCENARIO_PREFIX + id, (value) => {
    const before = value as unknown as Scenario | undefined;
    taken = before && counted(before, digest);
    return taken ? { ...taken } : value;
  });
  if (taken) shared.keepScenario(taken);
  return taken;
}

/** With one more sign-in counted; undefined if it is used up. */
function counted(scenario: Scenario, digest: string): Scenario | undefined {
  const { states, used } = scenario;
  if (states.includes(digest)) return scenario;
  if (remainingOf(scenario) === 0) return undefined;
  return { ...scenario, used: used + 1, states: [...states, digest].slice(-MAX_STATES) };
}
