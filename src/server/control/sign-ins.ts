import { ERRORS, SIGN_IN_ERRORS } from "../../wire/errors.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { Provider } from "../../wire/providers.ts";
import { normalizeEmail } from "../../wire/text/email.ts";
import { closest } from "../../wire/text/suggestion.ts";
import { SIGNED_IN_PATH } from "../../wire/redirect-uri.ts";
import { causeOf } from "../../wire/control/scenarios.ts";
import type { AnswerOf } from "../../wire/control/types.ts";
import type { ParsedBodyOf } from "../../wire/control/routes.ts";
import { ApiError } from "../errors.ts";
import type { AskedBy } from "../history/asked.ts";
import { json, type Reply } from "../http/respond.ts";
import { notedOf } from "../http/routes/oauth.ts";
import type { Ended } from "../sign-in/callback.ts";
import { decidedAccount } from "../simulator/account.ts";
import { redirectToClient, withDecision } from "../simulator/authorize.ts";
import { decideSignIn, settle, type Redirect } from "../simulator/decision.ts";
import { editOf } from "../simulator/edit.ts";
import type { AuthorizationRequest } from "../simulator/grants.ts";
import { impossibility } from "../simulator/outcomes.ts";
import { parseRequest } from "../simulator/request.ts";
import { typedPersona } from "../simulator/typed-account.ts";
import type { InstanceRecord } from "../store/records.ts";
import type { ControlDeps } from "./deps.ts";
import { chosenInstance, findUser } from "./records.ts";

type Wish = ParsedBodyOf<"POST /sign-ins">;

/** A program on this machine. */
const PROGRAM = {
  caller: { isBrowser: false, isPlainClient: true, isNavigation: true },
  cookies: new Map<string, string>(),
  ip_address: "127.0.0.1",
} as const;

const CREATED = 201;
/** Of personas, to find the one that was meant. */
const MAX_COMPARED = 1000;

/**
 * Runs a whole sign-in through a simulated provider, as a program would.
 * @param by what asks for the wish's outcome
 * @throws {ApiError} if it can't begin
 */
export async function runSignIn(deps: ControlDeps, wish: Wish, by: AskedBy = "outcome"): Promise<Reply> {
  const { provider, as, outcome } = wish;
  if (outcome !== undefined) requirePossible(outcome, provider, false);
  if (as !== undefined) requireAccount(deps, as, provider);
  const instance = chosenInstance(deps, wish.instance);
  if (!instance.active) throw new ApiError("instance_not_found", `${instance.subdomain} is not active`);
  if (as !== undefined) await introduceUser(deps, instance, as);
  const asked = await begin(deps, instance, wish);
  const answer = await answerRequest(deps, instance, wish, asked, by);
  const { code, error } = Object.fromEntries(new URL(answer.location).searchParams);
  const { state } = asked;
  const ended = await deps.signIns.complete({ ...PROGRAM, provider, state, code, error });
  return replyOf(deps, wish, asked.flow_id!, ended);
}

/** The first half: up to what the provider is asked. */
async function begin(
  { signIns, connect, addresses, simulator }: ControlDeps,
  instance: InstanceRecord,
  { provider, redirect_uri }: Wish,
): Promise<AuthorizationRequest> {
  if (!(await connect(instance, provider)).isSimulated)
    throw new ApiError("bad_request", `provider: ${provider} is not simulated here; sign in with a browser`);
  const { asked } = await signIns.begin({
    ...PROGRAM,
    at: { kind: "front", isCallback: true },
    named: { instance: instance.id },
    wanted: provider,
    redirect_uri: redirect_uri ?? addresses.front + SIGNED_IN_PATH,
    login_hint: undefined,
    ...(redirect_uri === undefined && { isOwnPage: true }),
  });
  return parseRequest(simulator.at(provider), new Map(Object.entries(asked!.parameters)), undefined);
}

/** What the provider answers: as the wish says, and otherwise as the scenarios decide. */
async function answerRequest(
  deps: ControlDeps,
  { id: instance_id }: InstanceRecord,
  { provider, as, outcome, browser, profile: set, omit }: Wish,
  asked: AuthorizationRequest,
  by: AskedBy,
): Promise<Redirect> {
  const startedAt = performance.now();
  const server = deps.simulator.at(provider);
  const labelledBrowser = browser === undefined ? undefined : { id: browser, label: browser };
  const decided = await decideSignIn(deps, { asked, instance_id, login_hint: as, labelledBrowser, outcome });
  const own = editOf(set, omit);
  const profile = own ?? decided?.profile;
  const cause = causeOf({ outcome: outcome ?? "success", delay_ms: {}, changesProfile: own !== undefined });
  const chosen = cause === null ? undefined : { by, cause };
  const override = { as, outcome: outcome ?? "success", chosen, ...decided, profile };
  const account = decidedAccount(server, undefined, override);
  if (!account)
    throw new ApiError("bad_request", `as: ${override.as ?? "the first account"} can't sign in with ${provider}`);
  const answer = redirectToClient(server, withDecision(asked, override), account);
  await settle(deps, answer, { ms: performance.now() - startedAt, login_hint: undefined });
  return answer;
}

/** `location`: the final redirect; null if svc answers with an error itself. */
function replyOf(deps: ControlDeps, { provider }: Wish, flow_id: string, ended: Ended): Reply {
  const noted = notedOf(deps, flow_id);
  const { user_id = null, reason = null } = deps.flows.get(flow_id) ?? {};
  const reply = (result: Omit<AnswerOf<"POST /sign-ins">, "user_id" | "flow_id">, more: object): Reply =>
    json({ ...result, user_id, flow_id }, { status: CREATED, noted: { ...noted, ...more } });
  if (ended.result === "refusal") {
    const { refusal } = ended;
    if (!(refusal instanceof ApiError && refusal.code === "invalid_state")) throw refusal;
    return reply({ location: null, error: refusal.code, error_description: ERRORS[refusal.code].error }, {});
  }
  const { location } = ended;
  const outcome = ended.result === "token" ? "success" : ended.failure.code;
  const signIn = {
    signIn: { provider, outcome },
    ...(reason !== null && { reason: `${outcome}: ${reason}` }),
  } as const;
  if (ended.result === "token") return reply({ location, token: ended.token }, signIn);
  return reply({ location, error: ended.failure.code, error_description: SIGN_IN_ERRORS[ended.failure.code] }, signIn);
}

/** An account for a user that the simulator does not know, with the user's name: signing in must not change it. */
async function introduceUser(deps: ControlDeps, instance: InstanceRecord, as: string): Promise<void> {
  const { personas } = deps.simulator;
  if (personas.find(as)) return;
  const view = await findUser(deps, instance, as);
  if (view) personas.add(typedPersona(view.user.email, view.user.name));
}

/** @throws {ApiError} for a pair that cannot be */
export function requirePossible(outcome: OutcomeId, provider: Provider, isApplication: boolean): void {
  const why = impossibility(outcome, provider, isApplication);
  if (why !== undefined) throw new ApiError("bad_request", `outcome: ${why}`);
}

/** @throws {ApiError} if it can't match an account; an unknown e-mail address means a new account */
export function requireAccount({ simulator, shared }: ControlDeps, as: string, provider: Provider | undefined): void {
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
