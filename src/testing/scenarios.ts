import { meetingsOf } from "./flows.ts";
import type { ControlClient } from "../control-client/index.ts";
import type { AnswerOf, BodyOf } from "../wire/control/types.ts";
import { ServeError } from "../server/errors.ts";
import { withEdits, checkKitOptions, done } from "./options.ts";

export type Scenario = AnswerOf<"GET /scenarios">[number];
export type NewScenario = Omit<NonNullable<BodyOf<"POST /scenarios">>, "label">;

/**
 * Decides how sign-ins end: those of a browser, of `fetch`, of `svc sign-in --as`, and of `TestService.signIn` unless it names
 * its own `outcome`. The account picker is skipped.
 */
export interface TestScenarios {
  /** The next sign-in that matches ends like this: `next({ provider: "github", outcome: "access_denied" })`. */
  next(scenario: NewScenario["match"] & Omit<NewScenario, "match" | "times">): Promise<Scenario>;
  /** The next `times` sign-ins that match end like this, or with `times: null` all until it is cleared. */
  add(scenario: NewScenario): Promise<Scenario>;
  list(): Promise<Scenario[]>;
  /** Those that sign-ins have met fewer times than they were added for. */
  pending(): Promise<Scenario[]>;
  clear(): Promise<void>;
  /** @throws {Error} if a scenario was not met as often as it was added for, with the reason for each sign-in since then */
  assertMet(): Promise<void>;
}

/** What is narrowed by `match`. */
const MATCHED = ["provider", "instance", "browser", "login_hint"];
const EXAMPLE = '{ outcome: "access_denied" }';

/**
 * @param label tells this test's scenarios from those of others on the same server
 * @param match what every scenario is narrowed to, such as one browser or instance
 */
export function createTestScenarios(
  control: ControlClient,
  label: string,
  match: NonNullable<NewScenario["match"]> = {},
): TestScenarios {
  const add = async (scenario: NewScenario): Promise<Scenario> => {
    checkKitOptions("scenarios.add", scenario, undefined, `scenarios.add(${EXAMPLE})`);
    const outside = MATCHED.find((name) => name in scenario);
    if (outside)
      throw new ServeError(`scenarios.add takes ${outside} within match: scenarios.add({ match: { ${outside}: … } }).`);
    return control.request("POST /scenarios", {
      body: { ...withEdits("profile", scenario), match: { ...match, ...scenario.match }, label },
    });
  };
  const pending = (): Promise<Scenario[]> => control.request("GET /scenarios", { query: { label, pending: "true" } });
  return {
    add,
    async next(next) {
      checkKitOptions("scenarios.next", next, undefined, `scenarios.next(${EXAMPLE})`);
      if ("times" in next)
        throw new ServeError("scenarios.next is for one sign-in. Write scenarios.add({ times: … }).");
      const { provider, instance, browser, login_hint, ...scenario } = next;
      const own = { provider, instance, browser, login_hint };
      return add({ ...scenario, match: Object.fromEntries(Object.entries(own).filter(([, value]) => value)) });
    },
    list: () => control.request("GET /scenarios", { query: { label } }),
    pending,
    clear: () => done(control.request("DELETE /scenarios", { query: { label } })),
    async assertMet() {
      const unmet = (await pending()).filter(({ data }) => data.times !== null || data.used === 0);
      if (unmet.length === 0) return;
      const reasons = await Promise.all(unmet.map((scenario) => describeUnmet(control, scenario)));
      throw new Error(`${unmet.length === 1 ? "A scenario was" : "Scenarios were"} never met:\n${reasons.join("\n")}`);
    },
  };
}

/** `access_denied for provider github: it is for github (2 sign-ins)`. */
async function describeUnmet(control: ControlClient, { id, data }: Scenario): Promise<string> {
  const flows = await control.request("GET /flows");
  const because = new Map<string, number>();
  for (const { because: reason } of meetingsOf(flows, id))
    if (reason !== "matched") because.set(reason, (because.get(reason) ?? 0) + 1);
  const match = Object.entries(data.match).map(([name, value]) => `${name} ${value}`);
  const why = [...because].map(([reason, count]) => `${reason} (${count} sign-in${count === 1 ? "" : "s"})`);
  const met = data.used > 0 ? `met ${data.used} of ${data.times} times; ` : "";
  const name = match.length > 0 ? `${data.outcome} for ${match.join(", ")}` : data.outcome;
  return `  ${name}: ${met}${why.join("; ") || "no sign-in began that it could match"}`;
}
