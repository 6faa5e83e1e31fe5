import { hash } from "node:crypto";
import type { Provider } from "../../wire/names.ts";
import type { Store } from "../store/store.ts";
import { SCENARIO_PREFIX, type Live } from "./index.ts";
import { remainingOf, type Scenario } from "./scenario.ts";
import { isPossible } from "../simulator/outcomes.ts";
import { changeSetting } from "../store/settings.ts";

/** What a sign-in is matched by. */
export interface Arrival {
  readonly provider: Provider;
  readonly state: string;
  /** An instance's id; undefined where the state is not one of svc's. */
  readonly instance: string | undefined;
  readonly browser: { readonly id: string; readonly label: string | undefined } | undefined;
  readonly login_hint: string | undefined;
}

export interface MatchResult {
  readonly scenario: Scenario | undefined;
  /** Those that were looked at, and what came of it. */
  readonly considered: { scenario: string; because: string }[];
}

export interface MatchDeps {
  readonly store: Store;
  readonly live: Live;
  /** Whether two names, ids or e-mail addresses, are those of one account. */
  isSameAccount(one: string, other: string): boolean;
  hasAccount(name: string, provider: Provider): boolean;
}

/** The most states that are remembered, each for as long as it may be reloaded. */
const MAX_STATES = 1000;

/**
 * The scenario that decides about a sign-in. It is counted down in one step over all processes, once for a state: the same
 * state meets the same scenario again.
 */
export async function matchScenario(deps: MatchDeps, arrival: Arrival): Promise<MatchResult> {
  const digest = hash("sha256", arrival.state, "base64").slice(0, 22);
  const considered: MatchResult["considered"] = [];
  for (const scenario of inOrder(deps.live.scenarios, digest)) {
    const because = mismatch(scenario, arrival, deps, digest);
    const taken = because === undefined ? await take(deps, scenario, digest) : undefined;
    considered.push({ scenario: scenario.id, because: because ?? (taken ? "matched" : "used up") });
    if (taken) return { scenario: taken, considered };
  }
  return { scenario: undefined, considered };
}

/** The one that this state met before; then counted ones by age; then standing ones, the newest first. */
function inOrder(scenarios: readonly Scenario[], digest: string): Scenario[] {
  const rank = (scenario: Scenario): number => (scenario.states.includes(digest) ? 0 : scenario.times !== null ? 1 : 2);
  return scenarios.toSorted((a, b) => rank(a) - rank(b) || (a.times === null ? b.order - a.order : a.order - b.order));
}

function mismatch(
  scenario: Scenario,
  { provider, instance, browser, login_hint }: Arrival,
  { isSameAccount, hasAccount }: MatchDeps,
  digest: string,
): string | undefined {
  const { match, as, outcome, states } = scenario;
  if (remainingOf(scenario) === 0 && !states.includes(digest)) return "used up";
  if (match.provider !== undefined && match.provider !== provider) return `it is for ${match.provider}`;
  if (match.instance !== undefined && match.instance !== instance) return "it is for another instance";
  if (match.browser !== undefined && match.browser !== browser?.id && match.browser !== browser?.label)
    return browser ? "it is for another browser" : "it is for a browser with a label, and this one has none";
  if (match.login_hint !== undefined && (login_hint === undefined || !isSameAccount(match.login_hint, login_hint)))
    return login_hint === undefined ? "the sign-in has no login_hint" : "the sign-in has another login_hint";
  if (as !== null && login_hint !== undefined && !isSameAccount(as, login_hint))
    return "the sign-in's login_hint names another account";
  if (!isPossible(outcome, provider)) return `${outcome} cannot happen at ${provider}`;
  if (as !== null && !hasAccount(as, provider)) return `its account has none at ${provider}`;
  return undefined;
}

async function take({ store, live }: MatchDeps, { id }: Scenario, digest: string): Promise<Scenario | undefined> {
  let taken: Scenario | undefined;
  await changeSetting(store, SCENARIO_PREFIX + id, (value) => {
    const before = value as unknown as Scenario | undefined;
    taken = before && counted(before, digest);
    return taken ? { ...taken } : value;
  });
  if (taken) live.keepScenario(taken);
  return taken;
}

/** With one more sign-in; undefined: it is used up. */
function counted(scenario: Scenario, digest: string): Scenario | undefined {
  const { states, used } = scenario;
  if (states.includes(digest)) return scenario;
  if (remainingOf(scenario) === 0) return undefined;
  return { ...scenario, used: used + 1, states: [...states, digest].slice(-MAX_STATES) };
}
