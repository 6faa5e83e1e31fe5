import { setTimeout as delay } from "node:timers/promises";
import type { Provider } from "../../wire/names.ts";
import { flowIdOf } from "../flows/flow-id.ts";
import type { FlowFacts } from "../flows/flows.ts";
import { arrange } from "./arrange.ts";
import type { AuthorizeOutcome, Chosen } from "./authorize.ts";
import { noteChoice } from "./choice.ts";
import type { HeadlessDeps } from "./headless-deps.ts";
import type { LabelledBrowser } from "./labelled-browser.ts";

/** What decides about a sign-in before its picker is shown. */
export interface Decision extends Chosen {
  readonly delay_ms: number;
}

/** Asks the scenarios; what was considered is told in any case. */
export type Decide = (arrival: {
  readonly provider: Provider;
  readonly state: string;
  readonly login_hint: string | undefined;
  readonly label: LabelledBrowser | undefined;
}) => Promise<{ readonly decision: Decision | undefined; readonly considered: NonNullable<FlowFacts["considered"]> }>;

export interface AnswerDeps extends HeadlessDeps {
  /** Undefined: nothing decides, the picker is always shown. */
  readonly decide: Decide | undefined;
}

export interface AuthorizeRequest {
  readonly provider: Provider;
  readonly query: ReadonlyMap<string, string>;
  /** Tells browsers apart; undefined for a program. */
  readonly browser: string | undefined;
  /** What scenarios can tell it by. */
  readonly label: LabelledBrowser | undefined;
}

/**
 * The authorize page of a simulated provider: by scenario, by hint, or by a choice on the page.
 * @returns also the id of its flow, where that is known
 * @throws {ApiError} for a request that a provider would not redirect from
 */
export async function answerAuthorize(
  deps: AnswerDeps,
  request: AuthorizeRequest,
): Promise<{ outcome: AuthorizeOutcome; flow_id: string | undefined }> {
  const { provider, query, browser } = request;
  const begun = performance.now();
  const state = query.has("request") ? undefined : query.get("state");
  // Refused requests meet no scenario.
  let outcome = deps.simulator.authorize(provider, query, browser);
  // Whoever invents a request meets none either: it would use them up.
  const isOurs = "location" in outcome || outcome.application !== undefined;
  const decided = state !== undefined && isOurs ? await decide(deps, request, state) : undefined;
  if (decided) {
    if (decided.delay_ms > 0) await delay(decided.delay_ms);
    outcome = deps.simulator.authorize(provider, query, browser, decided);
  }
  const choice = "location" in outcome ? outcome.choice : undefined;
  const known = choice?.state ?? state;
  if (known === undefined) return { outcome, flow_id: undefined };
  const flow_id = flowIdOf(known);
  const note = deps.flows.of(flow_id);
  const login_hint = query.get("login_hint");
  if (choice) {
    noteChoice(note, choice, { ms: performance.now() - begun, login_hint });
    await arrange(deps, choice, async (instance, { id }) => {
      const { signInHeadless } = await import("./headless.ts");
      return signInHeadless(deps, { instance, provider, as: id, outcome: "success", redirect_uri: undefined });
    });
  } else {
    const answered = { status: 200, message: "the account picker" };
    note(decided ? { requested_outcome: decided.outcome } : {}, {
      name: "provider",
      sent: { provider, login_hint },
      answered,
    });
  }
  return { outcome, flow_id };
}

async function decide(
  deps: AnswerDeps,
  { provider, query, label }: AuthorizeRequest,
  state: string,
): Promise<Decision | undefined> {
  const answer = await deps.decide?.({ provider, state, login_hint: query.get("login_hint"), label });
  if (answer && answer.considered.length > 0) deps.flows.of(flowIdOf(state))({ considered: answer.considered });
  return answer?.decision;
}
