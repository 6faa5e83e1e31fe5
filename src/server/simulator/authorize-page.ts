import { PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";
import type { Cookie } from "../cookies.ts";
import { SignInRefused } from "../errors.ts";
import { flowIdOf } from "../history/flows.ts";
import { beginningOf, redactText } from "../history/redact.ts";
import { AWAITS_BROWSER, isPageBinding, pageBinding } from "../sign-in/binding.ts";
import type { StateRecord } from "../store/records.ts";
import { ANOTHER_BROWSER, noLongerValid } from "./authorize-request.ts";
import type { LabelledBrowser } from "./browser.ts";
import { decideSignIn, settleChoice } from "./decision.ts";
import type { AuthorizationRequest } from "./grants.ts";
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
export async function answerAuthorize(deps: HeadlessDeps, page: AuthorizePageRequest) {
  const { provider, query, browser, labelledBrowser } = page;
  const startedAt = performance.now();
  const login_hint = query.get("login_hint");
  if (query.has("request")) {
    const reply = deps.simulator.choose(provider, query, browser);
    if ("location" in reply) {
      await settleChoice(deps, reply, { ms: performance.now() - startedAt, login_hint });
      return { reply, flow_id: flowIdOf(reply.asked.state) };
    }
    // A program can't choose again, so the sign-in is over.
    if (browser === undefined && reply.unknown !== undefined) throw await endUnknown(deps, reply.asked, reply.unknown);
    return { reply };
  }
  const asked = deps.simulator.request(provider, query, browser);
  const { state, application } = asked;
  // A request that this service did not send uses up no scenario, and binds no browser: it could hide that a click is needed.
  const cookie = application && (await bindAtPage(deps, asked));
  const decided = application && (await decideSignIn(deps, { provider, state, login_hint, labelledBrowser }));
  const reply = deps.simulator.authorize(asked, login_hint, decided);
  if (state === "") return { reply };
  const flow_id = flowIdOf(state);
  if ("location" in reply) await settleChoice(deps, reply, { ms: performance.now() - startedAt, login_hint });
  else
    deps.flows.of(flow_id)(decided ? { requested_outcome: decided.outcome } : {}, {
      name: "provider",
      sent: { provider, login_hint },
      answered: { status: 200, message: "the account picker" },
    });
  return { reply, flow_id, cookie };
}

/** Ends a sign-in for which an account was chosen that does not exist. */
async function endUnknown(
  { store, flows }: HeadlessDeps,
  { provider, state }: AuthorizationRequest,
  unknown: string,
): Promise<SignInRefused> {
  const refusal = `the simulated ${PROVIDER_TITLES[provider]} has no account "${redactText(beginningOf(unknown, MAX_SHOWN_LENGTH))}"`;
  const reason = `T${refusal.slice(1)}. Use the id, an e-mail address or the login of one that it has as login_hint.`;
  const taken = await store.takeState(state);
  // Otherwise it has ended before.
  if (await taken?.removed)
    flows.of(flowIdOf(state))(
      { result: "error", error: "bad_request", reason },
      { name: "provider", sent: { provider, login_hint: unknown }, answered: { status: 400 }, reason },
    );
  return new SignInRefused("bad_request", refusal);
}

/**
 * Binds a sign-in that a browser began at another host than the callback's: the first browser at the page gets it.
 * @returns the cookie for the callback; undefined if the sign-in is not bound here
 * @throws {SignInRefused} if another browser was first
 */
export async function bindAtPage(
  { store, addresses }: Pick<HeadlessDeps, "store"> & { readonly addresses: { readonly isHttps: boolean } },
  {
    provider,
    browser,
    state,
    application,
  }: Pick<AuthorizationRequest, "provider" | "browser" | "state" | "application">,
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
