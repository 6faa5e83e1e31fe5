import { randomBytes } from "node:crypto";
import type { CONTROL_ROUTES } from "../../../wire/control/routes.ts";
import type { ParsedOf } from "../../../wire/route.ts";
import { BROWSER_COOKIE, ID_TOKEN_OUTCOMES, OUTCOMES } from "../../../wire/outcomes.ts";
import { labelledBrowserValue } from "../../simulator/browser.ts";
import { editOf } from "../../simulator/edit.ts";
import { providersOf } from "../../simulator/outcomes.ts";
import { Refusal } from "../../errors.ts";
import { remainingOf, type StoredScenario } from "../../scenarios/scenarios.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { requireInstance } from "../look-up.ts";
import { requireAccount, requirePossible } from "./sign-ins.ts";
import { listInMemory } from "../lists.ts";

export const scenarioRoutes = (deps: ControlDeps): ControlHandlers<"/scenarios" | "/outcomes" | "/browsers"> => ({
  "GET /scenarios": async (call) => {
    const scenarios = await deps.shared.scenarios.stored();
    const matching = scenarios.filter((scenario) => fits(scenario, call.query));
    return listInMemory(call, deps, { name: "scenarios", all: scenarios, matching, present: scenarioResource });
  },

  "POST /scenarios": async ({ body }) => {
    const { match, as, outcome, times, delay_ms, label } = body;
    const profile = editOf(body.profile, body.omit);
    if (match.provider !== undefined) requirePossible(outcome, match.provider, ID_TOKEN_OUTCOMES.includes(outcome));
    if (as !== undefined) requireAccount(deps, as, match.provider);
    const instance = match.instance === undefined ? undefined : requireInstance(deps, match.instance).id;
    const own = {
      id: `scenario_${randomBytes(12).toString("base64url")}`,
      match: { ...match, ...(instance !== undefined && { instance }) },
      as: as ?? null,
      outcome,
      times,
      delay_ms,
      label: label ?? null,
      ...(profile && { profile }),
      created_at: deps.now().toISOString(),
    };
    const scenario = await deps.shared.scenarios.add(own, deps.shared.clock.real().getTime());
    await deps.shared.refresh();
    return scenarioResource(scenario);
  },

  "DELETE /scenarios": async ({ query }) => {
    const ids = (await deps.shared.scenarios.stored()).filter((scenario) => fits(scenario, query)).map(({ id }) => id);
    for (const id of ids) await deps.shared.scenarios.delete(id);
    await deps.shared.refresh();
    return { deleted: true, ids };
  },

  "DELETE /scenarios/:id": async ({ params }) => {
    const id = params.id;
    if (!(await deps.shared.scenarios.delete(id))) throw new Refusal("not_found", "no scenario has this id");
    await deps.shared.refresh();
    return { deleted: true, id };
  },

  "GET /outcomes": () => OUTCOMES.map((outcome) => ({ ...outcome, providers: providersOf(outcome.id) })),

  "POST /browsers": ({ body }) => {
    const id = `browser_${randomBytes(12).toString("base64url")}`;
    const cookie = {
      name: BROWSER_COOKIE,
      value: labelledBrowserValue({ id, label: body.label }),
      domain: new URL(deps.addresses.front).hostname,
      path: "/",
      httpOnly: true,
      secure: deps.addresses.isHttps,
      sameSite: "Lax" as const,
    };
    return { id, cookies: [cookie] };
  },
});

function fits(
  scenario: StoredScenario,
  { pending, label }: ParsedOf<(typeof CONTROL_ROUTES)["DELETE /scenarios"], "query">,
): boolean {
  const isPending = remainingOf(scenario) !== 0;
  return (pending === undefined || pending === isPending) && (label === undefined || label === scenario.label);
}

/** Whether any browser's sign-in may meet it, not only one of a test. */
export function isWaitingForAnybody(scenario: StoredScenario): boolean {
  return remainingOf(scenario) !== 0 && scenario.match.browser === undefined;
}

export function scenarioResource(scenario: StoredScenario) {
  const { id, states: _, order: __, profile, ...data } = scenario;
  const edit = profile && { profile: profile.set, omit: [...profile.omit] };
  return { id, resource: "scenario" as const, data: { ...data, ...edit, remaining: remainingOf(scenario) } };
}
