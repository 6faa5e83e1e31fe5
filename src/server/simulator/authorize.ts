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

/** What was decided of a sign-in before the picker was shown. */
export interface Chosen {
  /** A persona's id or e-mail address; undefined: the hinted account, else the first one. */
  readonly as: string | undefined;
  readonly outcome: OutcomeId;
}

/** Where the browser goes with its choice, or the picker that it shows. */
export type AuthorizeOutcome = { readonly location: string; readonly choice: Choice } | PickerView;

interface Asker {
  /** Tells browsers apart; undefined for a program. */
  readonly browser: string | undefined;
  readonly chosen: Chosen | undefined;
}

/**
 * The browser's side of a provider. The service's request is answered at once where it suggests an account; otherwise it is
 * sealed, and every choice on the picker names it by that alone: the state is not on the page.
 * @throws {ApiError} for a request that a provider would not redirect from
 */
export function authorize(
  name: Provider,
  provider: SimulatedProvider,
  deps: AuthorizeDeps,
  query: Parameters,
  { browser, chosen }: Asker,
): AuthorizeOutcome {
  const id = query.get("request");
  if (id === undefined) {
    const request = parseRequest(name, provider, deps, query, { browser, outcome: chosen?.outcome });
    const account = decidedAccount(provider, deps.personas, query.get("login_hint"), chosen);
    // Also where the service did not send the browser here: who did may have left out that it wants a click.
    if (account && request.application?.needsClick === false) return granted(deps, request, account);
    return begunPicker(name, provider, deps, request, (chosen && account?.email) ?? "");
  }
  const pending = findRequest(name, deps, id, browser);
  if (query.has("cancel")) return back({ ...pending, outcome: "access_denied" }, { error: "access_denied" });
  const outcome = query.get("outcome");
  const request = isOutcomeAt(outcome, name) ? { ...pending, outcome } : pending;
  // What the provider says without an account needs none.
  if (request !== pending && REDIRECT_ERRORS[request.outcome!]) return granted(deps, request, undefined);
  if (request !== pending) return begunPicker(name, provider, deps, request);
  const isChoice = query.has("login_hint") || query.has("email");
  if (isChoice && pending.isTooSoon) return { ...begunPicker(name, provider, deps, request), isTooSoon: true };
  const { persona, problem } = choose(name, provider, deps.personas, query);
  if (persona) return granted(deps, request, persona);
  return picker(name, provider, deps, { ...pageOf(query), id, request, problem });
}

/**
 * The picker of a request, with nothing chosen.
 * @throws {ApiError} where the request was not given out to this browser
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

/** Who signs in without a picker. */
function decidedAccount(
  provider: SimulatedProvider,
  personas: Personas,
  hint: string | undefined,
  chosen: Chosen | undefined,
): PersonaRecord | undefined {
  const hasAccount = (persona: PersonaRecord): boolean => provider.account(persona) !== undefined;
  const name = chosen?.as ?? hint ?? "";
  const email = chosen?.as?.includes("@") ? normalizeEmail(chosen.as) : undefined;
  const named = personas.find(name) ?? (email && personas.add({ email, name: null, email_verified: true }));
  if (named && hasAccount(named)) return named;
  return chosen && chosen.as === undefined ? personas.first(hasAccount) : undefined;
}

function granted(
  { grants }: AuthorizeDeps,
  request: AuthorizationRequest,
  persona: PersonaRecord | undefined,
): AuthorizeOutcome {
  const error = request.outcome && REDIRECT_ERRORS[request.outcome];
  if (error !== undefined || !persona) return back(request, { error: error ?? "access_denied" }, persona);
  return back(request, { code: grants.issueCode(request, persona) }, persona);
}

function back(
  request: AuthorizationRequest,
  answer: Record<string, string>,
  persona?: PersonaRecord,
): AuthorizeOutcome {
  const { provider, redirect_uri, state, outcome = "success" } = request;
  const location = withParameters(redirect_uri, { ...answer, state });
  return { location, choice: { provider, state, outcome, persona } };
}

/** Who signs in: the account that was clicked, or one that was typed in. */
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
  // A test that asks for an unverified address wants that outcome, also where another account has the address.
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

/** The picker as a request first sees it. */
function begunPicker(
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

/** What of the accounts is shown. */
function pageOf(query: Parameters): Pick<PickerRequest, "search" | "after" | "before"> {
  return { search: query.get("q") ?? "", after: rowOf(query.get("after")), before: rowOf(query.get("before")) };
}

function rowOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
