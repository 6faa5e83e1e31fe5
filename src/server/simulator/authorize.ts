import type { Provider } from "../../wire/names.ts";
import { ApiError, SignInRefused } from "../errors.ts";
import { normalizeEmail } from "../providers/email.ts";
import { withParameters } from "../sign-in/redirect-uri.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { AuthorizationRequest, Grants } from "./grants.ts";
import type { Personas } from "./personas.ts";
import type { PickerView, SimulatedProvider } from "./provider.ts";

/** Accounts on one page of the picker. */
const PAGE_SIZE = 10;
const MAX_NAME_LENGTH = 256;

export interface AuthorizeDeps {
  readonly grants: Grants;
  readonly personas: Personas;
  /** The authorize page. */
  readonly url: string;
  /** Where the provider sends browsers back to. */
  readonly callbackUrl: string;
  isClient(client_id: string): boolean;
}

type Parameters = ReadonlyMap<string, string>;

/** Where the browser goes, which may be to the picker, or the picker that it shows. */
export type AuthorizeOutcome = { readonly location: string; readonly isToPicker: boolean } | PickerView;

/**
 * The browser's side of a provider. The service's request is answered at once where it suggests an account; otherwise it is
 * sealed, and the picker and every choice on it name it by that alone: the state is not on the page.
 * @param browser tells browsers apart; undefined for a program
 * @throws {ApiError} for a request that a provider would not redirect from
 */
export function authorize(
  name: Provider,
  provider: SimulatedProvider,
  deps: AuthorizeDeps,
  query: Parameters,
  browser: string | undefined,
): AuthorizeOutcome {
  const id = query.get("request");
  if (id === undefined) {
    const request = parseRequest(name, provider, deps, query, browser);
    const hinted = request.application?.needsClick ? undefined : deps.personas.find(query.get("login_hint") ?? "");
    if (hinted && provider.account(hinted)) return granted(deps, request, hinted);
    return { location: `${deps.url}?request=${deps.grants.keepPending(request)}`, isToPicker: true };
  }
  const request = findRequest(name, deps, id, browser);
  if (query.has("cancel")) return back(request, { error: "access_denied" });
  const { persona, problem } = choose(provider, deps.personas, query);
  if (persona) return granted(deps, request, persona);
  return picker(name, provider, deps, { id, request, query, problem });
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
  return picker(name, provider, deps, { id, request: findRequest(name, deps, id, browser), query, problem: undefined });
}

function granted({ grants }: AuthorizeDeps, request: AuthorizationRequest, persona: PersonaRecord): AuthorizeOutcome {
  return back(request, { code: grants.issueCode({ ...request, persona }) });
}

function back({ redirect_uri, state }: AuthorizationRequest, answer: Record<string, string>): AuthorizeOutcome {
  return { location: withParameters(redirect_uri, { ...answer, state }), isToPicker: false };
}

function parseRequest(
  name: Provider,
  provider: SimulatedProvider,
  { grants, callbackUrl, isClient }: AuthorizeDeps,
  query: Parameters,
  browser: string | undefined,
): AuthorizationRequest {
  const client_id = query.get("client_id") ?? "";
  const redirect_uri = query.get("redirect_uri") ?? "";
  const state = query.get("state") ?? "";
  if (!isClient(client_id)) throw refused(name, "knows no such client_id");
  if (redirect_uri !== callbackUrl) throw refused(name, "has another redirect_uri for this client");
  if (query.get("response_type") !== "code") throw refused(name, "wants response_type=code");
  const refusal = provider.refusal(query);
  if (refusal !== undefined) throw refused(name, refusal);
  return {
    provider: name,
    client_id,
    redirect_uri,
    state,
    scopes: (query.get("scope") ?? "").split(" "),
    code_challenge: query.get("code_challenge"),
    application: grants.introduced(query.get("application") ?? "", state),
    browser,
  };
}

/** The request that a choice answers: it must have been given to this browser, ten minutes ago at most. */
function findRequest(
  name: Provider,
  { grants }: AuthorizeDeps,
  id: string,
  browser: string | undefined,
): AuthorizationRequest {
  const { request, isExpired } = grants.pending(id) ?? {};
  const reason =
    request?.provider !== name
      ? "it gave out no such request"
      : request.browser !== browser
        ? "another browser began this sign-in"
        : isExpired
          ? "its ten minutes are over"
          : undefined;
  if (request && reason === undefined) return request;
  const { application } = request ?? {};
  const wayBack = application && /^https?:/.test(application.origin) ? application : undefined;
  const detail = `${name} (simulated) does not know this request any more; begin again at the application`;
  throw new SignInRefused("bad_request", detail, { reason, wayBack });
}

/** Who signs in: the account that was clicked, or one that was typed in. */
function choose(
  provider: SimulatedProvider,
  personas: Personas,
  query: Parameters,
): { persona?: PersonaRecord | undefined; problem?: string | undefined } {
  const typed = query.get("email");
  if (typed === undefined) {
    const clicked = personas.find(query.get("login_hint") ?? "");
    if (!clicked) return {};
    return provider.account(clicked) ? { persona: clicked } : noAccount(clicked.email, provider);
  }
  const email = normalizeEmail(typed.trim());
  if (email === undefined) return { problem: `"${typed}" is not an e-mail address.` };
  const name = query.get("name")?.trim().slice(0, MAX_NAME_LENGTH) || null;
  // Whoever asks for an unverified address wants to see what comes of that, whoever else has the address.
  if (query.has("unverified")) return { persona: personas.add({ email, name, email_verified: false }) };
  const known = personas.find(email);
  if (known && !provider.account(known)) return noAccount(email, provider);
  return { persona: known ?? personas.add({ email, name, email_verified: true }) };
}

function noAccount(email: string, { title }: SimulatedProvider): { problem: string } {
  return { problem: `${email} has no account at ${title}.` };
}

interface PickerRequest {
  readonly id: string;
  readonly request: AuthorizationRequest;
  readonly query: Parameters;
  readonly problem: string | undefined;
}

function picker(
  name: Provider,
  provider: SimulatedProvider,
  { personas }: AuthorizeDeps,
  { id, request, query, problem }: PickerRequest,
): PickerView {
  const search = query.get("q") ?? "";
  const { items, previous, next } = personas.page(
    { search, after: rowOf(query.get("after")), before: rowOf(query.get("before")), limit: PAGE_SIZE },
    (persona) => {
      const account = provider.account(persona);
      return account && { persona, account };
    },
  );
  return {
    provider: name,
    title: provider.title,
    request: id,
    application: request.application,
    accounts: items,
    previous,
    next,
    known: personas.size,
    search,
    problem,
    client_id: request.client_id,
    scopes: request.scopes,
  };
}

function rowOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function refused(provider: Provider, why: string): ApiError {
  return new ApiError("bad_request", `${provider} (simulated) ${why}`);
}
