import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { causeOf, delaysOf } from "../../wire/control/scenarios.ts";
import type { FlowFacts, Flows } from "../history/flows.ts";
import type { Arrival, Decide, Decision } from "../simulator/authorization-request.ts";
import type { SignIns } from "../sign-in/sign-in.ts";
import { impossibility } from "../simulator/outcomes.ts";
import type { Simulator } from "../simulator/simulator.ts";
import { remainingOf, type StoredScenario, type Scenarios } from "./scenarios.ts";

interface DecideDeps {
  readonly scenarios: Scenarios;
  readonly simulator: Pick<Simulator, "personas" | "hasAccount">;
  readonly flows: Flows;
}

/** Asks the scenarios how a sign-in ends, records their answers in its flow, and waits as long as the one that applies says. */
export function createDecide(deps: DecideDeps): Decide {
  return async (arrival) => {
    const { asked, labelledBrowser } = arrival;
    const browser = labelledBrowser?.id ?? null;
    const { decision, scenario, considered } = await find(deps, arrival);
    if (asked.flow_id !== undefined && (browser !== null || considered.length > 0))
      deps.flows.of(asked.flow_id)({ browser, scenario, considered });
    if (decision?.delays?.authorize) await delay(decision.delays.authorize);
    return decision;
  };
}

interface Found extends Required<Pick<FlowFacts, "scenario" | "considered">> {
  readonly decision: Decision | undefined;
}

/** The scenario that decides a sign-in, and why others do not. The same state gets the same scenario again. */
async function find({ scenarios, simulator }: DecideDeps, arrival: Arrival): Promise<Found> {
  const considered: Found["considered"] = [];
  const { asked, login_hint } = arrival;
  const digest = hash("sha256", asked.flow_id ?? "", "base64").slice(0, 22);
  for (const scenario of inOrder(scenarios.known, digest)) {
    const because = mismatch(scenario, arrival, simulator, digest);
    const taken = because === undefined ? await scenarios.take(scenario, digest) : undefined;
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
function inOrder(scenarios: readonly StoredScenario[], digest: string): StoredScenario[] {
  const rank = (scenario: StoredScenario): number =>
    scenario.states.includes(digest) ? 0 : scenario.times !== null ? 1 : 2;
  return scenarios.toSorted((a, b) => rank(a) - rank(b) || (a.times === null ? b.order - a.order : a.order - b.order));
}

/** Why a scenario does not apply to a sign-in; undefined if it does. */
function mismatch(
  scenario: StoredScenario,
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

/** Sign-ins whose callback comes twice, if that is the outcome chosen at a simulated provider. */
export function withReplays(signIns: SignIns, { takeReplay }: Pick<Simulator, "takeReplay">): SignIns {
  return {
    ...signIns,
    async complete(request) {
      const first = await signIns.complete(request);
      return first.result === "token" && takeReplay(request.code!) ? signIns.complete(request) : first;
    },
  };
}
