import { PROVIDER_TITLES } from "../../wire/providers.ts";
import { normalizeEmail } from "../../text/email.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { Decision } from "./authorization-request.ts";
import type { Parameters } from "./picker.ts";
import type { AuthorizationServer } from "./endpoints.ts";
import { typedPersona } from "./typed-account.ts";

const MAX_NAME_LENGTH = 256;

/** The account that scenario or hint name, for a sign-in that needs no choice. A new address is a new account. */
export function decidedAccount(
  { name: at, personas }: AuthorizationServer,
  hint: string | undefined,
  decision: Decision | undefined,
): PersonaRecord | undefined {
  const hasAccount = (persona: PersonaRecord): boolean => persona.accounts[at] !== undefined;
  const email = decision?.as === undefined ? undefined : normalizeEmail(decision.as);
  const known = personas.find(decision?.as ?? hint ?? "");
  const named = known ?? (email && personas.add(typedPersona(email, null)));
  if (named && hasAccount(named)) return named;
  return decision && decision.as === undefined ? personas.first(hasAccount) : undefined;
}

/** The account that was clicked, or typed in. */
export function chosenAccount(
  { name: at, personas }: AuthorizationServer,
  query: Parameters,
): { readonly persona?: PersonaRecord | undefined; readonly problem?: string } {
  const none = (email: string) => ({ problem: `${email} has no account at ${PROVIDER_TITLES[at]}.` });
  const typed = query.get("email");
  const clicked = typed === undefined ? personas.find(query.get("login_hint") ?? "") : undefined;
  if (clicked) return clicked.accounts[at] ? { persona: clicked } : none(clicked.email);
  if (typed === undefined) return {};
  const email = normalizeEmail(typed.trim());
  if (email === undefined) return { problem: `"${typed}" is not an e-mail address.` };
  const name = query.get("name")?.trim().slice(0, MAX_NAME_LENGTH) || null;
  const known = personas.find(email);
  if (known && !known.accounts[at]) return none(email);
  return { persona: known ?? personas.add(typedPersona(email, name)) };
}
