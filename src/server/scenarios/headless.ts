import type { CONTROL_ROUTES } from "../../wire/control/routes.ts";
import type { ParsedOf } from "../../wire/route.ts";
import { causeOf } from "../../wire/control/scenarios.ts";
import { SIGNED_IN_PATH } from "../../wire/redirect-uri.ts";
import { Refusal } from "../errors.ts";
import type { AskedBy } from "../history/flows.ts";
import type { Addresses } from "../instances/addresses.ts";
import type { ConnectProvider } from "../providers/connections.ts";
import type { Ended } from "../sign-in/claim.ts";
import type { SignIns } from "../sign-in/sign-in.ts";
import { decidedAccount } from "../simulator/account.ts";
import { withDecision, type Decide } from "../simulator/authorization-request.ts";
import { editOf } from "../simulator/edit.ts";
import type { AuthorizationRequest } from "../simulator/authorization-request.ts";
import { redirectToClient, settle, type Redirect, type SettleDeps } from "../simulator/redirect.ts";
import { parseRequest } from "../simulator/request.ts";
import type { Simulator } from "../simulator/simulator.ts";
import type { InstanceRecord } from "../store/records.ts";

export interface HeadlessDeps extends SettleDeps {
  readonly addresses: Addresses;
  readonly connect: ConnectProvider;
  readonly decide: Decide | undefined;
  readonly signIns: SignIns;
  readonly simulator: Simulator;
}

/** A sign-in that a test wants. What it leaves open is decided as for a browser. */
export type Wish = ParsedOf<(typeof CONTROL_ROUTES)["POST /sign-ins"], "body">;

const PROGRAM = {
  caller: { isBrowser: false, isPlainClient: true, isNavigation: true },
  cookies: new Map<string, string>(),
  ip_address: "127.0.0.1",
} as const;

/**
 * Runs a whole sign-in through a simulated provider, as a program would.
 * @param by what asks for the wish's outcome
 * @throws {Refusal} if it can't begin
 */
export async function signInHeadless(
  deps: HeadlessDeps,
  instance: InstanceRecord,
  wish: Wish,
  by: AskedBy,
): Promise<{ readonly flow_id: string; readonly ended: Ended | Refusal }> {
  const asked = await begin(deps, instance, wish);
  const { code, error } = await answerRequest(deps, instance, wish, asked, by);
  const { provider, state, flow_id } = asked;
  const ended = await deps.signIns.complete({ ...PROGRAM, provider, state, code, error }).catch(refusedState);
  return { flow_id: flow_id!, ended };
}

/** Some outcomes end with a state that is not good. */
function refusedState(error: unknown): Refusal {
  if (error instanceof Refusal && error.code === "invalid_state") return error;
  throw error;
}

/** The first half: up to what the provider is asked. */
async function begin(
  { signIns, connect, addresses, simulator }: HeadlessDeps,
  instance: InstanceRecord,
  { provider, redirect_uri }: Wish,
): Promise<AuthorizationRequest> {
  if (!(await connect(instance, provider)).isSimulated)
    throw new Refusal("bad_request", `provider: ${provider} is not simulated here; sign in with a browser`);
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
  deps: HeadlessDeps,
  { id: instance_id }: InstanceRecord,
  { provider, as, outcome, browser, profile: set, omit }: Wish,
  asked: AuthorizationRequest,
  by: AskedBy,
): Promise<Redirect> {
  const startedAt = performance.now();
  const server = deps.simulator.at(provider);
  const labelledBrowser = browser === undefined ? undefined : { id: browser, label: browser };
  const decided = await deps.decide?.({ asked, instance_id, login_hint: as, labelledBrowser, outcome });
  const own = editOf(set, omit);
  const profile = own ?? decided?.profile;
  const cause = causeOf({ outcome: outcome ?? "success", delay_ms: {}, changesProfile: own !== undefined });
  const chosen = cause === null ? undefined : { by, cause };
  const decision = { as, outcome: outcome ?? "success", chosen, ...decided, profile };
  const account = decidedAccount(server, undefined, decision);
  if (!account)
    throw new Refusal("bad_request", `as: ${decision.as ?? "the first account"} can't sign in with ${provider}`);
  const answer = redirectToClient(server, withDecision(asked, decision), account);
  await settle(deps, answer, { ms: performance.now() - startedAt, login_hint: undefined });
  return answer;
}
