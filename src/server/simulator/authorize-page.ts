import { PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";
import { SignInRefused } from "../errors.ts";
import { flowIdOf } from "../history/flows.ts";
import { beginningOf, redactText } from "../history/redact.ts";
import type { Cookie } from "../cookies.ts";
import { prepareOutcome, noteChoice } from "./chosen-outcome.ts";
import type { AuthorizeReply } from "./authorize.ts";
import { bindAtPage } from "./bind.ts";
import { decideSignIn, type Decision } from "./decision.ts";
import type { HeadlessDeps } from "./headless.ts";
import type { LabelledBrowser } from "./browser.ts";

/** Of an account that does not exist. */
const MAX_SHOWN_LENGTH = 300;

/** A browser's request to a provider's authorize page. */
export interface AuthorizePageRequest {
  readonly provider: Provider;
  readonly query: ReadonlyMap<string, string>;
  /** Tells browsers apart; undefined for a program. */
  readonly browser: string | undefined;
  /** For scenarios of a labelled browser. */
  readonly labelledBrowser: LabelledBrowser | undefined;
}

export interface AnsweredAuthorize {
  readonly reply: AuthorizeReply;
  /** Undefined if it is not known. */
  readonly flow_id: string | undefined;
  /** Binds the sign-in to the browser, if it has to be bound here. */
  readonly cookie?: Cookie | undefined;
}

/** `answerAuthorize` of one service. */
export type AnswerAuthorize = (request: AuthorizePageRequest) => ReturnType<typeof answerAuthorize>;

/**
 * The authorize page of a simulated provider: by scenario, by hint, or by a choice on the page.
 * @throws {ApiError} if the request is invalid in a way that providers answer without a redirect
 */
export async function answerAuthorize(deps: HeadlessDeps, request: AuthorizePageRequest): Promise<AnsweredAuthorize> {
  const { provider, query, labelledBrowser } = request;
  const startedAt = performance.now();
  const state = query.has("request") ? undefined : query.get("state");
  // First without scenarios: a request that is refused must not use one up.
  let reply = await authorized(deps, request);
  // Nor must a request that this service did not send, and no browser is bound by one: it could hide that a click is needed.
  const application = "location" in reply ? undefined : reply.application;
  const isOurs = "location" in reply || application !== undefined;
  const cookie = state !== undefined && isOurs ? await bindAtPage(deps, request, state, application) : undefined;
  const login_hint = query.get("login_hint");
  const decided =
    state !== undefined && isOurs
      ? await decideSignIn(deps, { provider, state, login_hint, labelledBrowser })
      : undefined;
  if (decided) reply = await authorized(deps, request, decided);
  const choice = "location" in reply ? reply.choice : undefined;
  const known = choice?.state ?? state;
  if (known === undefined) return { reply, flow_id: undefined };
  const flow_id = flowIdOf(known);
  const note = deps.flows.of(flow_id);
  if (choice) {
    noteChoice(note, choice, { ms: performance.now() - startedAt, login_hint });
    await prepareOutcome(deps, choice);
  } else {
    const answered = { status: 200, message: "the account picker" };
    note(decided ? { requested_outcome: decided.outcome } : {}, {
      name: "provider",
      sent: { provider, login_hint },
      answered,
    });
  }
  return { reply, flow_id, cookie };
}

/** @throws {ApiError} also for an account that does not exist, after the sign-in was ended */
async function authorized(
  deps: HeadlessDeps,
  { provider, query, browser }: AuthorizePageRequest,
  decided?: Decision,
): Promise<AuthorizeReply> {
  const reply = deps.simulator.authorize(provider, query, browser, decided);
  if (!("unknown" in reply)) return reply;
  const { unknown, state } = reply;
  const refusal = `the simulated ${PROVIDER_TITLES[provider]} has no account "${redactText(beginningOf(unknown, MAX_SHOWN_LENGTH))}"`;
  const reason = `T${refusal.slice(1)}. Use the id, an e-mail address or the login of one that it has as login_hint.`;
  const taken = await deps.store.takeState(state);
  // Otherwise it has ended before.
  if (await taken?.removed)
    deps.flows.of(flowIdOf(state))(
      { result: "error", error: "bad_request", reason },
      { name: "provider", sent: { provider, login_hint: unknown }, answered: { status: 400 }, reason },
    );
  throw new SignInRefused("bad_request", refusal);
}
