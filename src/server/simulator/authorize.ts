import { PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";
import { normalizeEmail } from "../../wire/text/fold.ts";
import { withParameters } from "../sign-in/redirect-uri.ts";
import type { PersonaRecord } from "../store/records.ts";
import { findRequest, parseRequest, type AuthorizationServer, type Parameters } from "./authorize-request.ts";
import type { Choice, Override } from "./decision.ts";
import { readEdit } from "./edit.ts";
import type { AuthorizationRequest } from "./grants.ts";
import { REDIRECT_ERRORS, isOutcomeAt } from "./outcomes.ts";
import { newPicker, pickerView, type PickerView } from "./picker.ts";

const MAX_NAME_LENGTH = 256;

/** A program chose an account that does not exist. It cannot choose again, so the sign-in with this state is over. */
export interface UnknownAccount {
  readonly unknown: string;
  readonly state: string;
}

export type AuthorizeReply = { readonly location: string; readonly choice: Choice } | PickerView;

/**
 * A provider's authorization endpoint. If the request suggests an account, it is answered with a redirect. Otherwise it is
 * sealed, and the picker's links contain nothing else of it: the state is not on the page.
 * @throws {ApiError} if the request is invalid in a way that providers answer without a redirect
 */
export function authorize(
  server: AuthorizationServer,
  query: Parameters,
  browser: string | undefined,
  override: Override | undefined,
): AuthorizeReply | UnknownAccount {
  const id = query.get("request");
  if (id === undefined) {
    const request = parseRequest(server, query, { browser, outcome: override?.outcome, profile: override?.profile });
    const account = decidedAccount(server, query.get("login_hint"), override);
    // Only for the service's own requests: any other sender could omit that a click is needed.
    if (account && request.application?.needsClick === false) return redirectToClient(server, request, account);
    return newPicker(server, request, (override && account?.email) ?? "");
  }
  const { request: pending, isTooSoon } = findRequest(server, id, browser);
  if (query.has("cancel")) return redirectToClient(server, { ...pending, outcome: "access_denied" }, undefined);
  const outcome = query.get("outcome");
  const request = isOutcomeAt(outcome, server.name) ? { ...pending, outcome } : pending;
  // Errors that do not depend on the account.
  if (request !== pending && REDIRECT_ERRORS[request.outcome!]) return redirectToClient(server, request, undefined);
  if (request !== pending) return newPicker(server, request);
  const isChoice = query.has("login_hint") || query.has("email");
  if (isChoice && isTooSoon) return { ...newPicker(server, request), isTooSoon: true };
  const typed = query.get("profile");
  if (typed !== undefined) {
    const left = query.get("omit") ?? "";
    const read = readEdit(typed, left);
    if ("why" in read) return { ...pickerView(server, query, request), refusedEdit: { typed, left, why: read.why } };
    return newPicker(server, { ...request, profile: read.edit });
  }
  const { persona, problem } = choose(server, query);
  if (persona) return redirectToClient(server, request, persona);
  const unknown = query.get("login_hint");
  if (unknown !== undefined && browser === undefined) return { unknown, state: request.state };
  return { ...pickerView(server, query, request), problem };
}

function decidedAccount(
  { name: at, personas }: AuthorizationServer,
  hint: string | undefined,
  override: Override | undefined,
): PersonaRecord | undefined {
  const hasAccount = (persona: PersonaRecord): boolean => persona.accounts[at] !== undefined;
  const name = override?.as ?? hint ?? "";
  const email = override?.as === undefined ? undefined : normalizeEmail(override.as);
  const named = personas.find(name) ?? (email && personas.add({ email, name: null, email_verified: true }));
  if (named && hasAccount(named)) return named;
  return override && override.as === undefined ? personas.first(hasAccount) : undefined;
}

/** Ends the sign-in at the provider: with the outcome's error, otherwise with a code for the account. */
function redirectToClient(
  { grants }: AuthorizationServer,
  request: AuthorizationRequest,
  persona: PersonaRecord | undefined,
): AuthorizeReply {
  const { provider, redirect_uri, state, outcome = "success", profile } = request;
  const error = REDIRECT_ERRORS[outcome];
  const answer =
    error === undefined && persona ? { code: grants.issueCode(request, persona) } : { error: error ?? "access_denied" };
  const location = withParameters(redirect_uri, { ...answer, state });
  return { location, choice: { provider, state, outcome, persona, profile } };
}

function choose(
  { name: at, personas }: AuthorizationServer,
  query: Parameters,
): { persona?: PersonaRecord | undefined; problem?: string | undefined } {
  const typed = query.get("email");
  if (typed === undefined) {
    const clicked = personas.find(query.get("login_hint") ?? "");
    if (!clicked) return {};
    return clicked.accounts[at] ? { persona: clicked } : noAccount(clicked.email, at);
  }
  const email = normalizeEmail(typed.trim());
  if (email === undefined) return { problem: `"${typed}" is not an e-mail address.` };
  const name = query.get("name")?.trim().slice(0, MAX_NAME_LENGTH) || null;
  // An unverified address was requested explicitly, so it counts even if another account has the address.
  if (query.has("unverified")) return { persona: personas.add({ email, name, email_verified: false }) };
  const known = personas.find(email);
  if (known && !known.accounts[at]) return noAccount(email, at);
  return { persona: known ?? personas.add({ email, name, email_verified: true }) };
}

function noAccount(email: string, name: Provider): { problem: string } {
  return { problem: `${email} has no account at ${PROVIDER_TITLES[name]}.` };
}
