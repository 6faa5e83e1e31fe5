import { randomBytes } from "node:crypto";
import { normalizeEmail } from "../../../wire/text/fold.ts";
import type { CONTROL_ROUTES, ParsedBodyOf } from "../../../wire/control/routes.ts";
import type { ParsedOf } from "../../../wire/route.ts";
import { ID_TOKEN_OUTCOMES, type OutcomeId, OUTCOMES, BROWSER_COOKIE } from "../../../wire/outcomes.ts";
import { impossibility, providersOf } from "../../simulator/outcomes.ts";
import type { Provider } from "../../../wire/providers.ts";
import { editOf } from "../../simulator/edit.ts";
import { ApiError } from "../../errors.ts";
import type { InstanceRecord } from "../../store/records.ts";
import { closest } from "../../../wire/text/suggestion.ts";
import { remainingOf, SCENARIO_PREFIX, type Scenario } from "../../shared-state/shared-state.ts";
import type { ControlDeps, HandlersOf } from "../deps.ts";
import { requireInstance, chosenInstance, findUser } from "../records.ts";
import { listInMemory } from "../lists.ts";
import { changeSetting, deleteSetting } from "../../store/settings.ts";
import { labelledBrowserValue } from "../../simulator/browser.ts";
import { typedPersona } from "../../simulator/typed-account.ts";
import { SIGN_IN_ERRORS } from "../../../wire/errors.ts";
import type { SignInOutcome } from "../../http/request-entry.ts";
import { json, type Reply } from "../../http/respond.ts";
import { notedOf } from "../../http/routes/oauth.ts";

/** Of personas, to find the one that was meant. */
const MAX_COMPARED = 1000;
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

/** @throws {ApiError} for a pair that cannot be */
function requirePossible(outcome: OutcomeId, provider: Provider, isApplication: boolean): void {
  const why = impossibility(outcome, provider, isApplication);
  if (why !== undefined) throw new ApiError("bad_request", `outcome: ${why}`);
}

/** @throws {ApiError} if it can't match an account; an unknown e-mail address means a new account */
function requireAccount({ simulator, shared }: ControlDeps, as: string, provider: Provider | undefined): void {
  const persona = simulator.personas.find(as);
  if (!persona && normalizeEmail(as) === undefined) {
    const ids = shared.personas.slice(0, MAX_COMPARED).map(({ id }) => id);
    const meant = closest(as, ids);
    const advice = meant === undefined ? "give an id or an e-mail address" : `did you mean ${meant}?`;
    throw new ApiError("bad_request", `as: no persona has the id "${as}"; ${advice}`);
  }
  if (persona && provider !== undefined && !simulator.hasAccount(provider, as))
    throw new ApiError("bad_request", `as: ${as} has no account at ${provider}`);
}

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

const CREATED = 201;

/** Runs a complete sign-in through a simulated provider. @throws {ApiError} if it can't start */
export async function runSignIn(
  deps: ControlDeps,
  { provider, as, outcome, redirect_uri, browser, instance: name, profile: set, omit }: ParsedBodyOf<"POST /sign-ins">,
): Promise<Reply> {
  if (outcome !== undefined) requirePossible(outcome, provider, false);
  if (as !== undefined) requireAccount(deps, as, provider);
  const instance = chosenInstance(deps, name);
  if (!instance.active) throw new ApiError("instance_not_found", `${instance.subdomain} is not active`);
  const profile = editOf(set, omit);
  if (as !== undefined) await introduceUser(deps, instance, as);
  const result = await deps.signInHeadless({ instance, provider, as, outcome, redirect_uri, browser, profile });
  const { flow_id, error: ended = "success" } = result;
  const noted = notedOf(deps, flow_id);
  if (!isSignInOutcome(ended)) return json(result, { status: CREATED, noted });
  const reason = deps.flows.get(flow_id)?.reason;
  const signIn = { provider, outcome: ended };
  const ofSignIn = { ...noted, signIn, ...(reason && { reason: `${ended}: ${reason}` }) };
  return json(result, { status: CREATED, noted: ofSignIn });
}

/** An account for a user that the simulator does not know, with the user's name: signing in must not change it. */
async function introduceUser(deps: ControlDeps, instance: InstanceRecord, as: string): Promise<void> {
  const { personas } = deps.simulator;
  if (personas.find(as)) return;
  const view = await findUser(deps, instance, as);
  if (view) personas.add(typedPersona({ email: view.user.email, name: view.user.name, email_verified: true }));
}

function isSignInOutcome(code: string): code is SignInOutcome["outcome"] {
  return code === "success" || Object.hasOwn(SIGN_IN_ERRORS, code);
}
