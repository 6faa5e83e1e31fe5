import { setTimeout as delay } from "node:timers/promises";
import type { Provider } from "../../wire/providers.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import { flowIdOf, type FlowFacts, type Flows } from "../history/flows.ts";
import type { Override } from "./authorize.ts";
import type { LabelledBrowser } from "./browser.ts";

/** What a scenario decides. */
export interface Decision extends Override {
  readonly delay_ms: number;
}

/** A sign-in that arrives at a provider, with or without a browser. */
export interface Arrival {
  readonly provider: Provider;
  readonly state: string;
  readonly login_hint: string | undefined;
  readonly labelledBrowser: LabelledBrowser | undefined;
  /** What a program asked for. No scenario applies then, and each says why. */
  readonly outcome?: OutcomeId | undefined;
}

/** Finds the scenario for a sign-in, and why others do not apply. */
export type Decide = (arrival: Arrival) => Promise<{
  readonly decision: Decision | undefined;
  readonly considered: NonNullable<FlowFacts["considered"]>;
}>;

export interface DecisionDeps {
  /** Undefined if the server has no scenarios. */
  readonly decide: Decide | undefined;
  readonly flows: Flows;
}

/** Asks the scenarios how a sign-in ends, records their answers in its flow, and waits as long as the one that applies says. */
export async function decideSignIn({ decide, flows }: DecisionDeps, arrival: Arrival): Promise<Decision | undefined> {
  const answer = await decide?.(arrival);
  if (!answer) return undefined;
  const { decision, considered } = answer;
  if (considered.length > 0) flows.of(flowIdOf(arrival.state))({ considered });
  if (decision && decision.delay_ms > 0) await delay(decision.delay_ms);
  return decision;
}
