import type { ParsedBodyOf } from "../../../wire/control/routes.ts";
import { SIGN_IN_ERRORS } from "../../../wire/errors.ts";
import { editOf } from "../../simulator/edit.ts";
import { ApiError } from "../../errors.ts";
import type { SignInHeadless } from "../../simulator/headless.ts";
import { type Admitted, attributeToFlow } from "../../http/context.ts";
import type { SignInOutcome } from "../../http/request-entry.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { ControlDeps, HandlersOf } from "../deps.ts";
import { chosenInstance, findUser } from "../records.ts";
import { requireAccount, requirePossible } from "./scenarios.ts";

export const signInRoutes: HandlersOf<"/sign-ins"> = {
  "POST /sign-ins": ({ body, request }, deps) => runSignIn(deps, body, request),
};

/** Runs a complete sign-in through a simulated provider. @throws {ApiError} if it can't start */
export async function runSignIn(
  deps: ControlDeps,
  { provider, as, outcome, redirect_uri, browser, instance: name, profile: set, omit }: ParsedBodyOf<"POST /sign-ins">,
  request: Admitted,
): ReturnType<SignInHeadless> {
  if (outcome !== undefined) requirePossible(outcome, provider);
  if (as !== undefined) requireAccount(deps, as, provider);
  const instance = chosenInstance(deps, name);
  if (!instance.active) throw new ApiError("instance_not_found", `${instance.subdomain} is not active`);
  const profile = editOf(set, omit);
  if (as !== undefined) await introduceUser(deps, instance, as);
  const result = await deps.signInHeadless({ instance, provider, as, outcome, redirect_uri, browser, profile });
  attributeToFlow(request, deps, result.flow_id);
  const { error: ended = "success" } = result;
  const reason = deps.flows.get(result.flow_id)?.reason ?? null;
  if (isSignInOutcome(ended)) request.signIn = { provider, outcome: ended, reason: reason && `${ended}: ${reason}` };
  return result;
}

/** An account for a user that the simulator does not know, with the user's name: signing in must not change it. */
async function introduceUser(deps: ControlDeps, instance: InstanceRecord, as: string): Promise<void> {
  const { personas } = deps.simulator;
  if (personas.find(as)) return;
  const view = await findUser(deps, instance, as);
  if (view) personas.add({ email: view.user.email, name: view.user.name, email_verified: true });
}

function isSignInOutcome(code: string): code is SignInOutcome["outcome"] {
  return code === "success" || Object.hasOwn(SIGN_IN_ERRORS, code);
}
