import { randomBytes } from "node:crypto";
import type { CONTROL_ROUTES } from "../../../wire/control/routes.ts";
import type { ParsedOf } from "../../../wire/route.ts";
import { ID_TOKEN_OUTCOMES, OUTCOMES, BROWSER_COOKIE } from "../../../wire/outcomes.ts";
import { providersOf } from "../../simulator/outcomes.ts";
import { editOf } from "../../simulator/edit.ts";
import { ApiError } from "../../errors.ts";
import { remainingOf, SCENARIO_PREFIX, type Scenario } from "../../shared-state/shared-state.ts";
import type { ControlDeps, HandlersOf } from "../deps.ts";
import { requireInstance } from "../records.ts";
import { requireAccount, requirePossible, runSignIn } from "../sign-ins.ts";
import { listInMemory } from "../lists.ts";
import { changeSetting, deleteSetting } from "../../store/settings.ts";
import { labelledBrowserValue } from "../../simulator/browser.ts";

/** Used-up scenarios stay visible, up to this number. */
const MAX_USED_UP = 1000;

export const scenarioRoutes = (
  deps: ControlDeps,
): HandlersOf<"/scenarios" | "/outcomes" | "/browsers" | "/sign-ins"> => ({
  "GET /scenarios": async (call) => {
    const scenarios = await all(deps);
    const matching = scenarios.filter((scenario) => fits(scenario, call.query));
    return listInMemory(call, deps, { name: "scenarios", all: scenarios, matching, present: scenarioResource });
  },

  "POST /scenarios": async ({ body }) => {
    const { match, as, outcome, times, delay_ms, label } = body;
    const profile = editOf(body.profile, body.omit);
    if (match.provider !== undefined) requirePossible(outcome, match.provider, ID_TOKEN_OUTCOMES.includes(outcome));
    if (as !== undefined) requireAccount(deps, as, match.provider);
    const instance = match.instance === undefined ? undefined : requireInstance(deps, match.instance).id;
    const existing = await all(deps);
    const scenario: Scenario = {
      id: `scenario_${randomBytes(12).toString("base64url")}`,
      match: { ...match, ...(instance !== undefined && { instance }) },
      as: as ?? null,
      outcome,
      times,
      delay_ms,
      label: label ?? null,
      ...(profile && { profile }),
      used: 0,
      states: [],
      order: Math.max(deps.shared.clock.real().getTime(), ...existing.map(({ order }) => order + 1)),
      created_at: deps.now().toISOString(),
    };
    await changeSetting(deps.store, SCENARIO_PREFIX + scenario.id, () => ({ ...scenario }));
    const usedUp = existing.filter((other) => remainingOf(other) === 0).slice(MAX_USED_UP);
    for (const { id } of usedUp) await deleteSetting(deps.store, SCENARIO_PREFIX + id);
    await deps.shared.refresh();
    return scenarioResource(scenario);
  },

  "DELETE /scenarios": async ({ query }) => {
    const ids = (await all(deps)).filter((scenario) => fits(scenario, query)).map(({ id }) => id);
    for (const id of ids) await deleteSetting(deps.store, SCENARIO_PREFIX + id);
    await deps.shared.refresh();
    return { deleted: true, ids };
  },

  "DELETE /scenarios/:id": async ({ params }) => {
    const id = params.id;
    if (!(await deleteSetting(deps.store, SCENARIO_PREFIX + id)))
      throw new ApiError("not_found", "no scenario has this id");
    await deps.shared.refresh();
    return { deleted: true, id };
  },

  "GET /outcomes": () => OUTCOMES.map((outcome) => ({ ...outcome, providers: providersOf(outcome.id) })),

  "POST /browsers": ({ body }) => {
    const id = `browser_${randomBytes(12).toString("base64url")}`;
    const front = new URL(deps.addresses.front);
    const cookie = {
      name: BROWSER_COOKIE,
      value: labelledBrowserValue({ id, label: body.label }),
      domain: front.hostname,
      path: "/",
      httpOnly: true,
      secure: deps.addresses.isHttps,
      sameSite: "Lax" as const,
    };
    return { id, cookies: [cookie] };
  },

  "POST /sign-ins": ({ body }) => runSignIn(deps, body),
});

/** As they are in the store, newest first. */
async function all({ store }: ControlDeps): Promise<Scenario[]> {
  const settings = await store.settings(SCENARIO_PREFIX);
  return settings.map(({ value }) => value as unknown as Scenario).toSorted((a, b) => b.order - a.order);
}

function fits(
  scenario: Scenario,
  { pending, label }: ParsedOf<(typeof CONTROL_ROUTES)["DELETE /scenarios"], "query">,
): boolean {
  const isPending = remainingOf(scenario) !== 0;
  return (pending === undefined || pending === isPending) && (label === undefined || label === scenario.label);
}

/** Whether any browser's sign-in may meet it, not only one of a test. */
export function isWaitingForAnybody(scenario: Scenario): boolean {
  return remainingOf(scenario) !== 0 && scenario.match.browser === undefined;
}

export function scenarioResource(scenario: Scenario) {
  const { id, states: _, order: __, profile, ...data } = scenario;
  const edit = profile && { profile: profile.set, omit: [...profile.omit] };
  return { id, resource: "scenario" as const, data: { ...data, ...edit, remaining: remainingOf(scenario) } };
}
