import { OUTCOME_IDS } from "../../wire/outcomes.ts";
import { isLoopback } from "../../http/address.ts";
import { PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";
import { SignInRefused, type WayBack } from "../errors.ts";
import { beginningOf, redactText } from "../history/redact.ts";
import { parseRedirectUri } from "../instances/redirect-uri.ts";
import type { StateRecord } from "../store/records.ts";
import { chosenAccount, decidedAccount } from "./account.ts";
import type { LabelledBrowser } from "./browser.ts";
import { withDecision, type Decide } from "./authorization-request.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { REDIRECT_ERRORS, impossibility } from "./outcomes.ts";
import { pickerView, type Parameters, type PickerView } from "./picker.ts";
import type { AuthorizationServer } from "./endpoints.ts";
import { applicationFacts, redirectToClient, settle, type Redirect, type SettleDeps } from "./redirect.ts";
import { parseRequest } from "./request.ts";
import type { Simulator } from "./simulator.ts";

/** Of an account that does not exist. */
const MAX_SHOWN_LENGTH = 300;

export interface AuthorizeDeps extends SettleDeps {
  /** Undefined if the server has no scenarios. */
  readonly decide: Decide | undefined;
  readonly instances: { byId(id: string): { readonly name: string } | undefined };
  readonly simulator: Simulator;
}

interface AuthorizePageRequest {
  readonly provider: Provider;
  readonly query: Parameters;
  /** Tells browsers apart; undefined for a program. */
  readonly browser: string | undefined;
  readonly labelledBrowser: LabelledBrowser | undefined;
  /** Whether a page of another site sent the browser here (`Sec-Fetch-Site`). It may not be the application's. */
  readonly isCrossSite: boolean;
}

/**
 * Answers a client's request by a scenario, by the account that it hints at, or with the page that lets a person choose; and
 * what was chosen there.
 * @returns with the sign-in's flow, if the request has a state
 * @throws {Refusal} if the request is invalid in a way that providers answer without a redirect
 */
export async function answerAuthorize(deps: AuthorizeDeps, page: AuthorizePageRequest) {
  const startedAt = performance.now();
  const { provider, query, browser } = page;
  const server = deps.simulator.at(provider);
  const isChoice = query.has("request");
  const asked = isChoice ? await pendingRequest(deps, page) : parseRequest(server, query, browser, deps.flows);
  const begun = isChoice ? undefined : await begunBy(deps, asked);
  const reply = isChoice ? answerChoice(server, asked, query) : await answerRequest(deps, page, asked, begun);
  const login_hint = hintIn(server, query);
  const { flow_id } = asked;
  if ("location" in reply) {
    await settle(deps, reply, { ms: performance.now() - startedAt, login_hint });
    return { reply, flow_id };
  }
  // A program can't choose again, so the sign-in is over.
  if (browser === undefined && reply.unknown !== undefined) throw await endUnknown(deps, asked, reply.unknown);
  return {
    reply: { ...reply, application: applicationShown(deps, begun ?? (await begunBy(deps, asked))) },
    flow_id: isChoice ? undefined : flow_id,
  };
}

/** The request that a page was shown for. @throws {Refusal} if it is unknown, another browser's, or older than ten minutes */
async function pendingRequest(deps: AuthorizeDeps, page: AuthorizePageRequest): Promise<AuthorizationRequest> {
  const { provider, query, browser } = page;
  const pending = deps.simulator.at(provider).grants.pending(query.get("request") ?? "");
  const request = pending?.request.provider === provider ? pending.request : undefined;
  if (pending && request && request.browser === browser && !pending.isExpired) return request;
  const detail = `${PROVIDER_TITLES[provider]} (simulated): this request is no longer valid; start again from the application`;
  const known =
    request?.browser === browser
      ? "the request expired after ten minutes"
      : "the browser did not send the cookie that it got when the sign-in began; it is another browser, or blocks cookies";
  const reason = request ? known : "unknown request";
  const application = request && applicationShown(deps, await begunBy(deps, request));
  const wayBack = application && /^https?:/.test(application.origin) ? application : undefined;
  throw new SignInRefused("bad_request", detail, { reason, wayBack, flow_id: request?.flow_id });
}

type Begun = Pick<StateRecord, "instance_id" | "redirect_uri">;

/** Whose sign-in it is: of the owner of the client, or by the state's record. Undefined if this service did not send the request. */
async function begunBy(
  { store }: AuthorizeDeps,
  { provider, state, instance_id, redirect_uri }: AuthorizationRequest,
): Promise<Begun | undefined> {
  if (instance_id !== undefined) return { instance_id, redirect_uri };
  const record = await store.find("states", state);
  return record?.provider === provider ? record : undefined;
}

function applicationShown({ instances }: AuthorizeDeps, begun: Begun | undefined): WayBack | undefined {
  const instance = begun && instances.byId(begun.instance_id);
  return instance && { name: instance.name, origin: parseRedirectUri(begun.redirect_uri).origin };
}

/** A new request: by scenario or by hint, and otherwise with the picker. */
async function answerRequest(
  deps: AuthorizeDeps,
  { provider, query, labelledBrowser, isCrossSite }: AuthorizePageRequest,
  asked: AuthorizationRequest,
  begun: Begun | undefined,
): Promise<Redirect | PickerView> {
  const server = deps.simulator.at(provider);
  const login_hint = hintIn(server, query);
  const { flow_id } = asked;
  const application = server.applicationOf(asked.client_id);
  // Any page can send a browser to a client's sign-in: one whose users are on other machines too waits for a click.
  const needsClick = isCrossSite && application !== undefined && !application.redirect_uris.every(isAtLoopback);
  const arrival = { asked, login_hint, labelledBrowser, needsClick };
  // A request with this service's client that it did not send uses up no scenario.
  const decided = begun && (await deps.decide?.({ ...arrival, instance_id: begun.instance_id }));
  const account = begun && !(needsClick && !decided) ? decidedAccount(server, login_hint, decided) : undefined;
  const request = decided ? withDecision(asked, decided) : asked;
  if (account) return redirectToClient(server, request, account);
  const silent = application && server.provider.silentError?.(query);
  if (silent !== undefined) return redirectToClient(server, request, undefined, silent);
  const answered = { status: 200, message: "the account picker" };
  if (flow_id !== undefined)
    deps.flows.of(flow_id)(
      { ...applicationFacts(asked), ...(decided && { requested_outcome: decided.outcome }) },
      { name: "provider", sent: { provider, login_hint }, answered },
    );
  return newPicker(server, request, ((decided || needsClick) && login_hint) || "");
}

/** By the name that OpenID Connect has for it, or the provider's own. */
function hintIn({ provider }: AuthorizationServer, query: Parameters): string | undefined {
  return query.get("login_hint") ?? (provider.hint === undefined ? undefined : query.get(provider.hint));
}

function isAtLoopback(uri: string): boolean {
  const { hostname } = parseRedirectUri(uri);
  return hostname !== undefined && isLoopback(hostname);
}

/** What was chosen on the picker: an account, an outcome, or to cancel. */
function answerChoice(
  server: AuthorizationServer,
  pending: AuthorizationRequest,
  query: Parameters,
): Redirect | PickerView {
  if (query.has("cancel"))
    return redirectToClient(server, { ...pending, outcome: "access_denied", chosen: undefined }, undefined);
  const outcome = OUTCOME_IDS.find((id) => id === query.get("outcome"));
  if (outcome && impossibility(outcome, server.name, pending.instance_id !== undefined) === undefined) {
    const chosen = outcome === "success" ? undefined : ({ by: "picker", cause: outcome } as const);
    const request = { ...pending, outcome, chosen };
    // Errors that do not depend on the account.
    return REDIRECT_ERRORS[outcome] ? redirectToClient(server, request, undefined) : newPicker(server, request);
  }
  const { persona, problem } = chosenAccount(server, query);
  if (persona) return redirectToClient(server, pending, persona);
  return { ...pickerView(server, query, pending), problem, unknown: query.get("login_hint") };
}

/** The first page of the picker. Its links contain the sealed request, and nothing else of it: the state is not on the page. */
function newPicker(server: AuthorizationServer, request: AuthorizationRequest, search = ""): PickerView {
  const query = new Map([
    ["request", server.grants.keepPending(request)],
    ["q", search],
  ]);
  return pickerView(server, query, request);
}

/** Ends a sign-in for which an account was chosen that does not exist. */
async function endUnknown(
  { store, flows }: AuthorizeDeps,
  { provider, state, instance_id, flow_id }: AuthorizationRequest,
  unknown: string,
): Promise<SignInRefused> {
  const refusal = `the simulated ${PROVIDER_TITLES[provider]} has no account "${redactText(beginningOf(unknown, MAX_SHOWN_LENGTH))}"`;
  const reason = `T${refusal.slice(1)}. Use the id, an e-mail address or the login of one that it has as login_hint.`;
  const claimed = instance_id === undefined ? await store.claimState(state) : undefined;
  await claimed?.end();
  // Otherwise it has ended before.
  const isOpen = instance_id !== undefined || claimed !== undefined;
  if (isOpen && flow_id !== undefined)
    flows.of(flow_id)(
      { result: "error", error: "bad_request", reason },
      { name: "provider", sent: { provider, login_hint: unknown }, answered: { status: 400 }, reason },
    );
  return new SignInRefused("bad_request", refusal, { flow_id });
}
