import { PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";
import { normalizeEmail } from "../../wire/text/fold.ts";
import { withParameters } from "../sign-in/redirect-uri.ts";
import type { PersonaRecord } from "../store/records.ts";
import { findRequest, type AuthorizationServer, type Parameters, type Redirect } from "./authorize-request.ts";
import type { Override } from "./decision.ts";
import { readEdit } from "./edit.ts";
import type { AuthorizationRequest } from "./grants.ts";
import { REDIRECT_ERRORS, isOutcomeAt } from "./outcomes.ts";
import { newPicker, pickerView, type PickerView } from "./picker.ts";

const MAX_NAME_LENGTH = 256;

/**
 * Answers a client's request with a redirect if an account is suggested. Otherwise the request is sealed, and the picker's
 * links contain nothing else of it: the state is not on the page.
 */
export function answerRequest(
  server: AuthorizationServer,
  asked: AuthorizationRequest,
  hint: string | undefined,
  override: Override | undefined,
): Redirect | PickerView {
  const request = override
    ? { ...asked, outcome: override.outcome, profile: override.profile, delays: override.delays }
    : asked;
  const account = decidedAccount(server, hint, override);
  // Only for the service's own requests: any other sender could omit that a click is needed.
  if (account && request.application?.needsClick === false) return redirectToClient(server, request, account);
  return newPicker(server, request, (override && account?.email) ?? "");
}

/** Answers what was chosen on the picker. @throws {ApiError} as `findRequest` */
export function answerChoice(
  server: AuthorizationServer,
  query: Parameters,
  browser: string | undefined,
): Redirect | PickerView {
  const { request: pending, isTooSoon } = findRequest(server, query, browser);
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
  return { ...pickerView(server, query, request), problem, unknown: query.get("login_hint") };
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

function redirectToClient(
  { grants }: AuthorizationServer,
  asked: AuthorizationRequest,
  persona: PersonaRecord | undefined,
): Redirect {
  const { redirect_uri, state, outcome = "success" } = asked;
  const error = REDIRECT_ERRORS[outcome];
  const answer =
    error === undefined && persona ? { code: grants.issueCode(asked, persona) } : { error: error ?? "access_denied" };
  return { location: withParameters(redirect_uri, { ...answer, state }), asked, persona };
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
