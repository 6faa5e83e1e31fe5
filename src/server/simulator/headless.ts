import type { AnswerOf } from "../../wire/control/types.ts";
import { ERRORS, SIGN_IN_ERRORS } from "../../wire/errors.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { Provider } from "../../wire/providers.ts";
import { SIGNED_IN_PATH } from "../../wire/redirect-uri.ts";
import { ApiError } from "../errors.ts";
import { flowIdOf } from "../history/flows.ts";
import type { Connect } from "../providers/connections.ts";
import type { SignIns } from "../sign-in/begin.ts";
import type { Caller } from "../sign-in/caller.ts";
import type { CallbackRequest } from "../sign-in/complete.ts";
import type { InstanceRecord } from "../store/records.ts";
import { decideSignIn, settleChoice, type DecisionDeps } from "./decision.ts";
import type { Edit } from "./edit.ts";
import type { Simulator } from "./simulator.ts";

export interface HeadlessDeps extends DecisionDeps {
  readonly addresses: { readonly front: string; readonly isHttps: boolean };
  readonly connect: Connect;
  readonly signIns: SignIns;
  readonly simulator: Simulator;
}

export interface HeadlessRequest {
  readonly instance: InstanceRecord;
  readonly provider: Provider;
  /** A persona's id or e-mail address; undefined for the first with an account at the provider. */
  readonly as: string | undefined;
  /** Undefined if the scenarios decide. */
  readonly outcome: OutcomeId | undefined;
  /** Changes to the profile that the provider sends. Undefined if the scenarios decide. */
  readonly profile: Edit | undefined;
  /** The id or label of the browser that it is made for, as scenarios know it. */
  readonly browser: string | undefined;
  /** Undefined for the service's own signed-in page, whatever the instance lists. */
  readonly redirect_uri: string | undefined;
}

/** `location`: the final redirect; null if svc answers with an error itself. */
type HeadlessResult = AnswerOf<"POST /sign-ins">;

const PROGRAM: Caller = { isBrowser: false, isPlainClient: true, isNavigation: true, mayBeFrame: false };
const ADDRESS = "127.0.0.1";

export type SignInHeadless = (request: HeadlessRequest) => Promise<HeadlessResult>;

/** Runs a whole sign-in through a simulated provider, as a program would. @throws {ApiError} if it can't begin */
export async function signInHeadless(deps: HeadlessDeps, request: HeadlessRequest): Promise<HeadlessResult> {
  const { instance, provider, as, outcome, browser, profile, redirect_uri } = request;
  const startedAt = performance.now();
  const { simulation } = await deps.connect(instance, provider);
  if (!simulation)
    throw new ApiError("bad_request", `provider: ${provider} is not simulated here; sign in with a browser`);
  const { location } = await deps.signIns.begin({
    instance,
    provider,
    redirect_uri: redirect_uri ?? deps.addresses.front + SIGNED_IN_PATH,
    login_hint: undefined,
    ip_address: ADDRESS,
    caller: PROGRAM,
    isAtCallback: true,
    ...(redirect_uri === undefined && { isOwnPage: true }),
  });
  const asked = deps.simulator.request(provider, new Map(new URL(location).searchParams));
  const { state } = asked;
  const labelledBrowser = browser === undefined ? undefined : { id: browser, label: browser };
  const decided = await decideSignIn(deps, { provider, state, login_hint: as, labelledBrowser, outcome });
  const override = { as, outcome: outcome ?? "success", ...decided, profile: profile ?? decided?.profile };
  const answer = deps.simulator.authorize(asked, undefined, override);
  if (!("location" in answer))
    throw new ApiError("bad_request", `as: ${override.as ?? "the first account"} can't sign in with ${provider}`);
  await settleChoice(deps, answer, { ms: performance.now() - startedAt, login_hint: undefined });
  const { code, error } = Object.fromEntries(new URL(answer.location).searchParams);
  const flow_id = flowIdOf(state);
  const callback = { provider, state, code, error, ip_address: ADDRESS, caller: PROGRAM, flow_id };
  const result = await complete(deps.signIns, { ...callback, cookie: () => undefined });
  return { ...result, user_id: deps.flows.get(flow_id)?.user_id ?? null, flow_id };
}

async function complete(
  signIns: SignIns,
  request: CallbackRequest,
): Promise<Omit<HeadlessResult, "user_id" | "flow_id">> {
  try {
    const { location, token, failure } = await signIns.complete(request);
    if (token !== undefined) return { location, token };
    return { location, error: failure.code, error_description: SIGN_IN_ERRORS[failure.code] };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "invalid_state") throw error;
    return { location: null, error: error.code, error_description: ERRORS[error.code].error };
  }
}
