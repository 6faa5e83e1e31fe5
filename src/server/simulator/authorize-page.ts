import { PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";
import type { Cookie } from "../cookies.ts";
import { SignInRefused } from "../errors.ts";
import { flowIdOf } from "../history/flows.ts";
import { beginningOf, redactText } from "../history/redact.ts";
import type { Application } from "../providers/connections.ts";
import { AWAITS_BROWSER, isPageBinding, pageBinding } from "../sign-in/binding.ts";
import type { StateRecord } from "../store/records.ts";
import { ANOTHER_BROWSER, noLongerValid } from "./authorize-request.ts";
import type { AuthorizeReply } from "./authorize.ts";
import type { LabelledBrowser } from "./browser.ts";
import { decideSignIn, settleChoice, type Decision } from "./decision.ts";
import type { HeadlessDeps } from "./headless.ts";

/** Of an account that does not exist. */
const MAX_SHOWN_LENGTH = 300;

interface AuthorizePageRequest {
  readonly provider: Provider;
  readonly query: ReadonlyMap<string, string>;
  /** Tells browsers apart; undefined for a program. */
  readonly browser: string | undefined;
  /** For scenarios of a labelled browser. */
  readonly labelledBrowser: LabelledBrowser | undefined;
}

/**
 * The authorize page of a simulated provider: by scenario, by hint, or by a choice on the page.
 * @returns with the sign-in's flow, if it is known, and the cookie that binds it to the browser, if it has to be bound here
 * @throws {ApiError} if the request is invalid in a way that providers answer without a redirect
 */
export async function answerAuthorize(deps: HeadlessDeps, request: AuthorizePageRequest) {
  const { provider, query, labelledBrowser } = request;
  const startedAt = performance.now();
  const state = query.has("request") ? undefined : query.get("state");
  const login_hint = query.get("login_hint");
  // First without scenarios: a request that is refused must not use one up.
  let reply = await authorized(deps, request);
  let cookie: Cookie | undefined;
  let decided: Decision | undefined;
  const application = "location" in reply ? undefined : reply.asked.application;
  // Nor must a request that this service did not send, and no browser is bound by one: it could hide that a click is needed.
  if (state !== undefined && ("location" in reply || application)) {
    cookie = await bindAtPage(deps, request, state, application);
    decided = await decideSignIn(deps, { provider, state, login_hint, labelledBrowser });
  }
  if (decided) reply = await authorized(deps, request, decided);
  const choice = "location" in reply ? reply.choice : undefined;
  const known = choice?.state ?? state;
  if (known === undefined) return { reply };
  const flow_id = flowIdOf(known);
  if (choice) await settleChoice(deps, choice, { ms: performance.now() - startedAt, login_hint });
  else
    deps.flows.of(flow_id)(decided ? { requested_outcome: decided.outcome } : {}, {
      name: "provider",
      sent: { provider, login_hint },
      answered: { status: 200, message: "the account picker" },
    });
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

/**
 * Binds a sign-in that a browser began at another host than the callback's: the first browser at the page gets it.
 * @param request.browser its secret id; undefined for a program
 * @param application that a refusal links back to
 * @returns the cookie for the callback; undefined if the sign-in is not bound here
 * @throws {SignInRefused} if another browser was first
 */
export async function bindAtPage(
  { store, addresses }: { readonly store: HeadlessDeps["store"]; readonly addresses: { readonly isHttps: boolean } },
  { provider, browser }: Pick<AuthorizePageRequest, "provider" | "browser">,
  state: string,
  application: Application | undefined,
): Promise<Cookie | undefined> {
  if (browser === undefined) return undefined;
  const found = await store.find("states", state);
  if (!found || found.provider !== provider || !isPageBinding(found.binding)) return undefined;
  const { hash, cookie } = pageBinding(state, browser, addresses.isHttps);
  // One write, which only the first of several browsers makes.
  const bind = (record: StateRecord | undefined): StateRecord | undefined =>
    record?.binding === AWAITS_BROWSER ? { ...record, binding: hash } : record;
  const bound = found.binding === AWAITS_BROWSER ? await store.change("states", state, bind) : found;
  if (bound?.binding === hash) return cookie;
  throw noLongerValid(provider, application, ANOTHER_BROWSER);
}
