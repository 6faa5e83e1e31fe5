import type { AnswerOf } from "../../wire/control/types.ts";
import { ERRORS, SIGN_IN_ERRORS } from "../../wire/errors.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { Provider } from "../../wire/providers.ts";
import { SIGNED_IN_PATH } from "../../wire/redirect-uri.ts";
import { ApiError } from "../errors.ts";
import { flowIdOf } from "../history/flows.ts";
import type { Connect } from "../providers/connections.ts";
import type { SignIns } from "../sign-in/sign-in.ts";
import type { InstanceRecord } from "../store/records.ts";
import { decidedAccount } from "./account.ts";
import { redirectToClient, withDecision, type AuthorizeDeps } from "./authorize.ts";
import { decideSignIn, settle } from "./decision.ts";
import type { Edit } from "./edit.ts";
import { parseRequest } from "./request.ts";

interface HeadlessDeps extends AuthorizeDeps {
  readonly addresses: { readonly front: string };
  readonly connect: Connect;
  readonly signIns: SignIns;
}

interface HeadlessRequest {
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

/** A program on this machine. */
const PROGRAM = {
  caller: { isBrowser: false, isPlainClient: true, isNavigation: true },
  cookies: new Map<string, string>(),
  ip_address: "127.0.0.1",
} as const;

export type SignInHeadless = (request: HeadlessRequest) => Promise<HeadlessResult>;

/** Runs a whole sign-in through a simulated provider, as a program would. @throws {ApiError} if it can't begin */
export async function signInHeadless(deps: HeadlessDeps, request: HeadlessRequest): Promise<HeadlessResult> {
  const { instance, provider, as, outcome, browser, profile, redirect_uri } = request;
  const startedAt = performance.now();
  if (!(await deps.connect(instance, provider)).isSimulated)
    throw new ApiError("bad_request", `provider: ${provider} is not simulated here; sign in with a browser`);
  const { location } = await deps.signIns.begin({
    ...PROGRAM,
    at: { kind: "front", isCallback: true },
    named: { instance: instance.id },
    wanted: provider,
    redirect_uri: redirect_uri ?? deps.addresses.front + SIGNED_IN_PATH,
    login_hint: undefined,
    ...(redirect_uri === undefined && { isOwnPage: true }),
  });
  const server = deps.simulator.at(provider);
  const asked = parseRequest(server, new Map(new URL(location).searchParams), undefined);
  const { state } = asked;
  const labelledBrowser = browser === undefined ? undefined : { id: browser, label: browser };
  const decided = await decideSignIn(deps, {
    asked,
    instance_id: instance.id,
    login_hint: as,
    labelledBrowser,
    outcome,
  });
  const override = { as, outcome: outcome ?? "success", ...decided, profile: profile ?? decided?.profile };
  const account = decidedAccount(server, undefined, override);
  if (!account)
    throw new ApiError("bad_request", `as: ${override.as ?? "the first account"} can't sign in with ${provider}`);
  const answer = redirectToClient(server, withDecision(asked, override), account);
  await settle(deps, answer, { ms: performance.now() - startedAt, login_hint: undefined });
  const { code, error } = Object.fromEntries(new URL(answer.location).searchParams);
  const result = await complete(deps.signIns, { ...PROGRAM, provider, state, code, error });
  const flow_id = flowIdOf(state);
  return { ...result, user_id: deps.flows.get(flow_id)?.user_id ?? null, flow_id };
}

async function complete(
  signIns: SignIns,
  request: Parameters<SignIns["complete"]>[0],
): Promise<Omit<HeadlessResult, "user_id" | "flow_id">> {
  const { location, token, failure, refusal } = await signIns.complete(request);
  if (refusal instanceof ApiError && refusal.code === "invalid_state")
    return { location: null, error: refusal.code, error_description: ERRORS[refusal.code].error };
  if (refusal !== undefined) throw refusal;
  if (!failure) return { location, token: token! };
  return { location, error: failure.code, error_description: SIGN_IN_ERRORS[failure.code] };
}
