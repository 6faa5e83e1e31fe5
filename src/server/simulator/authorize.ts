import { PROVIDER_TITLES, type Provider } from "../../wire/names.ts";
import { normalizeEmail } from "../../wire/email.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { Choice } from "./choice.ts";
import { isOutcomeAt, REDIRECT_ERRORS } from "./outcomes.ts";
import { withParameters } from "../sign-in/redirect-uri.ts";
import type { PersonaRecord } from "../store/records.ts";
import { findRequest, parseRequest, type AuthorizeDeps, type Parameters } from "./authorize-request.ts";
import type { AuthorizationRequest } from "./grants.ts";
import type { Personas } from "./personas.ts";
import type { PickerView, SimulatedProvider } from "./provider.ts";

/** Accounts on one page of the picker. */
const PAGE_SIZE = 10;
const MAX_NAME_LENGTH = 256;

/** Account and outcome that are decided before the picker is shown. */
export interface Override {
  /** A persona's id or e-mail address; undefined for the hinted account, or the first one. */
  readonly as: string | undefined;
  readonly outcome: OutcomeId;
}

/** A program chose an account that does not exist. It cannot choose again, so the sign-in with this state is over. */
export interface UnknownAccount {
  readonly unknown: string;
  readonly state: string;
}

/** A redirect to the client, or the account picker. */
export type AuthorizeReply = { readonly location: string; readonly choice: Choice } | PickerView;

interface AuthorizeContext {
  /** Tells browsers apart; undefined for a program. */
  readonly browser: string | undefined;
  readonly override: Override | undefined;
}

/**
 * A provider's authorization endpoint. If the request suggests an account, it is answered with a redirect. Otherwise it is
 * sealed, and the picker's links contain nothing else of it: the state is not on the page.
 * @throws {ApiError} if the request is invalid in a way that providers answer without a redirect
 */
export function authorize(
  name: Provider,
  provider: SimulatedProvider,
  deps: AuthorizeDeps,
  query: Parameters,
  { browser, override }: AuthorizeContext,
): AuthorizeReply | UnknownAccount {
  const id = query.get("request");
  if (id === undefined) {
    const request = parseRequest(name, provider, deps, query, { browser, outcome: override?.outcome });
    const account = decidedAccount(provider, deps.personas, query.get("login_hint"), override);
    // Only for the service's own requests: any other sender could omit that a click is needed.
    if (account && request.application?.needsClick === false) return redirectToClient(deps, request, account);
    return newPicker(name, provider, deps, request, (override && account?.email) ?? "");
  }
  const pending = findRequest(name, deps, id, browser);
  if (query.has("cancel")) return redirectToClient(deps, { ...pending, outcome: "access_denied" }, undefined);
  const outcome = query.get("outcome");
  const request = isOutcomeAt(outcome, name) ? { ...pending, outcome } : pending;
  // Errors that do not depend on the account.
  if (request !== pending && REDIRECT_ERRORS[request.outcome!]) return redirectToClient(deps, request, undefined);
  if (request !== pending) return newPicker(name, provider, deps, request);
  const isChoice = query.has("login_hint") || query.has("email");
  if (isChoice && pending.isTooSoon) return { ...newPicker(name, provider, deps, request), isTooSoon: true };
  const { persona, problem } = choose(name, provider, deps.personas, query);
  if (persona) return redirectToClient(deps, request, persona);
  const unknown = query.get("login_hint");
  if (unknown !== undefined && browser === undefined) return { unknown, state: request.state };
  return picker(name, provider, deps, { ...pageOf(query), id, request, problem });
}

/**
 * The picker of a pending request.
 * @throws {ApiError} if the request is unknown or another browser's
 */
export function showAccounts(
  name: Provider,
  provider: SimulatedProvider,
  deps: AuthorizeDeps,
  query: Parameters,
  browser: string | undefined,
): PickerView {
  const id = query.get("request") ?? "";
  return picker(name, provider, deps, { ...pageOf(query), id, request: findRequest(name, deps, id, browser) });
}

/** The account that signs in without a picker. */
function decidedAccount(
  provider: SimulatedProvider,
  personas: Personas,
  hint: string | undefined,
  override: Override | undefined,
): PersonaRecord | undefined {
  const hasAccount = (persona: PersonaRecord): boolean => provider.account(persona) !== undefined;
  const name = override?.as ?? hint ?? "";
  const email = override?.as === undefined ? undefined : normalizeEmail(override.as);
  const named = personas.find(name) ?? (email && personas.add({ email, name: null, email_verified: true }));
  if (named && hasAccount(named)) return named;
  return override && override.as === undefined ? personas.first(hasAccount) : undefined;
}

/** Ends the sign-in at the provider: with the outcome's error, otherwise with a code for the account. */
function redirectToClient(
  { grants }: AuthorizeDeps,
  request: AuthorizationRequest,
  persona: PersonaRecord | undefined,
): AuthorizeReply {
  const { provider, redirect_uri, state, outcome = "success" } = request;
  const error = REDIRECT_ERRORS[outcome];
  const answer =
    error === undefined && persona ? { code: grants.issueCode(request, persona) } : { error: error ?? "access_denied" };
  const location = withParameters(redirect_uri, { ...answer, state });
  return { location, choice: { provider, state, outcome, persona } };
}

/** The account that was clicked or typed in. */
function choose(
  at: Provider,
  provider: SimulatedProvider,
  personas: Personas,
  query: Parameters,
): { persona?: PersonaRecord | undefined; problem?: string | undefined } {
  const typed = query.get("email");
  if (typed === undefined) {
    const clicked = personas.find(query.get("login_hint") ?? "");
    if (!clicked) return {};
    return provider.account(clicked) ? { persona: clicked } : noAccount(clicked.email, at);
  }
  const email = normalizeEmail(typed.trim());
  if (email === undefined) return { problem: `"${typed}" is not an e-mail address.` };
  const name = query.get("name")?.trim().slice(0, MAX_NAME_LENGTH) || null;
  // An unverified address was requested explicitly, so it counts even if another account has the address.
  if (query.has("unverified")) return { persona: personas.add({ email, name, email_verified: false }) };
  const known = personas.find(email);
  if (known && !provider.account(known)) return noAccount(email, at);
  return { persona: known ?? personas.add({ email, name, email_verified: true }) };
}

function noAccount(email: string, name: Provider): { problem: string } {
  return { problem: `${email} has no account at ${PROVIDER_TITLES[name]}.` };
}

interface PickerRequest {
  /** The request, sealed. */
  readonly id: string;
  readonly request: AuthorizationRequest;
  readonly search: string;
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly problem?: string | undefined;
}

/** The picker's first page for a new or changed request. */
function newPicker(
  name: Provider,
  provider: SimulatedProvider,
  deps: AuthorizeDeps,
  request: AuthorizationRequest,
  search = "",
): PickerView {
  return picker(name, provider, deps, { id: deps.grants.keepPending(request), request, search });
}

function picker(
  name: Provider,
  provider: SimulatedProvider,
  { personas }: AuthorizeDeps,
  { id, request, search, after, before, problem }: PickerRequest,
): PickerView {
  const { items, previous, next } = personas.page({ search, after, before, limit: PAGE_SIZE }, (persona) => {
    const account = provider.account(persona);
    return account && { persona, account };
  });
  return {
    provider: name,
    request: id,
    application: request.application,
    accounts: items,
    previous,
    next,
    sendsEmail: !provider.sendsNoEmail,
    known: personas.size,
    search,
    problem,
    isTooSoon: false,
    outcome: request.outcome,
    client_id: request.client_id,
    scopes: request.scopes,
  };
}

/** The part of the accounts to show. */
function pageOf(query: Parameters): Pick<PickerRequest, "search" | "after" | "before"> {
  return { search: query.get("q") ?? "", after: rowOf(query.get("after")), before: rowOf(query.get("before")) };
}

function rowOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
