import { ERRORS, SIGN_IN_ERRORS } from "../../../wire/errors.ts";
import type { OutcomeId } from "../../../wire/outcomes.ts";
import type { Provider } from "../../../wire/providers.ts";
import { normalizeEmail } from "../../../text/email.ts";
import { closest } from "../../../text/suggestion.ts";
import type { AnswerOf } from "../../../wire/control/types.ts";
import { Refusal } from "../../errors.ts";
import type { AskedBy } from "../../history/flows.ts";
import { json, type Reply } from "../../http/respond.ts";
import { notedOf } from "../../http/routes/oauth.ts";
import { signInHeadless, type Wish } from "../../scenarios/headless.ts";
import type { Ended } from "../../sign-in/claim.ts";
import { impossibility } from "../../simulator/outcomes.ts";
import { typedPersona } from "../../simulator/typed-account.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { chosenInstance, findUser } from "../look-up.ts";

const CREATED = 201;
/** Of personas, to find the one that was meant. */
const MAX_COMPARED = 1000;

export const signInRoutes = (deps: ControlDeps): ControlHandlers<"/sign-ins"> => ({
  "POST /sign-ins": ({ body }) => answerSignIn(deps, body),
});

/** @param by what asks for the wish's outcome @throws {Refusal} if it can't begin */
export async function answerSignIn(deps: ControlDeps, wish: Wish, by: AskedBy = "outcome"): Promise<Reply> {
  const { provider, as, outcome } = wish;
  if (outcome !== undefined) requirePossible(outcome, provider, false);
  if (as !== undefined) requireAccount(deps, as, provider);
  const instance = chosenInstance(deps, wish.instance);
  if (!instance.active) throw new Refusal("instance_not_found", `${instance.subdomain} is not active`);
  if (as !== undefined) await introduceUser(deps, instance, as);
  const { flow_id, ended } = await signInHeadless(deps, instance, wish, by);
  return replyOf(deps, wish, flow_id, ended);
}

/** `location`: the final redirect; null if svc answers with an error itself. */
function replyOf(deps: ControlDeps, { provider }: Wish, flow_id: string, ended: Ended | Refusal): Reply {
  const noted = notedOf(deps, flow_id);
  const { user_id = null, reason = null } = deps.flows.get(flow_id) ?? {};
  const reply = (result: Omit<AnswerOf<"POST /sign-ins">, "user_id" | "flow_id">, more: object): Reply =>
    json({ ...result, user_id, flow_id }, { status: CREATED, noted: { ...noted, ...more } });
  if (ended instanceof Refusal)
    return reply({ location: null, error: ended.code, error_description: ERRORS[ended.code].error }, {});
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

/** @throws {Refusal} for a pair that cannot be */
export function requirePossible(outcome: OutcomeId, provider: Provider, isApplication: boolean): void {
  const why = impossibility(outcome, provider, isApplication);
  if (why !== undefined) throw new Refusal("bad_request", `outcome: ${why}`);
}

/** @throws {Refusal} if it can't match an account; an unknown e-mail address means a new account */
export function requireAccount({ simulator, shared }: ControlDeps, as: string, provider: Provider | undefined): void {
  const persona = simulator.personas.find(as);
  if (!persona && normalizeEmail(as) === undefined) {
    const ids = shared.personas.slice(0, MAX_COMPARED).map(({ id }) => id);
    const meant = closest(as, ids);
    const advice = meant === undefined ? "give an id or an e-mail address" : `did you mean ${meant}?`;
    throw new Refusal("bad_request", `as: no persona has the id "${as}"; ${advice}`);
  }
  if (persona && provider !== undefined && !simulator.hasAccount(provider, as))
    throw new Refusal("bad_request", `as: ${as} has no account at ${provider}`);
}
