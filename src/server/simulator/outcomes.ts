import {
  ACCOUNT_OUTCOMES,
  ID_TOKEN_OUTCOMES,
  SERVICE_OUTCOMES,
  type AccountOutcome,
  type OutcomeId,
} from "../../wire/outcomes.ts";
import { PROVIDERS, type Provider } from "../../wire/providers.ts";
import type { PersonaRecord } from "../store/records.ts";
import { reply, textReply, type SimulatedAnswer } from "./provider.ts";
import { SIMULATED } from "./providers.ts";

/** The `error` of a provider's redirect, for outcomes without a code. */
export const REDIRECT_ERRORS: Partial<Record<OutcomeId, string>> = {
  access_denied: "access_denied",
  temporarily_unavailable: "temporarily_unavailable",
};

/** Whether a sign-in can end so at a provider, through this service or with an application's own client. */
function isPossible(outcome: OutcomeId, provider: Provider): boolean {
  if (ID_TOKEN_OUTCOMES.includes(outcome)) return SIMULATED[provider].claims !== undefined;
  return !isOfAccount(outcome) || SIMULATED[provider].altered?.[outcome] !== undefined;
}

export function providersOf(outcome: OutcomeId): Provider[] {
  return PROVIDERS.filter((provider) => isPossible(outcome, provider));
}

/** Why a sign-in can't end so. Undefined if it can. @param isApplication whether the client is an application's own */
export function impossibility(outcome: OutcomeId, provider: Provider, isApplication: boolean): string | undefined {
  if (!isPossible(outcome, provider))
    return `${outcome} cannot happen at ${provider}, only at ${providersOf(outcome).join(", ")}`;
  if ((isApplication ? SERVICE_OUTCOMES : ID_TOKEN_OUTCOMES).includes(outcome))
    return `${outcome} happens only in a sign-in ${isApplication ? "through svc" : "of an application's own client"}`;
  return undefined;
}

function isOfAccount(outcome: OutcomeId): outcome is AccountOutcome {
  return (ACCOUNT_OUTCOMES as readonly OutcomeId[]).includes(outcome);
}

/** How the token endpoint ends outcomes that fail before the code is checked. Undefined if it answers normally. */
export function tokenFailure(
  outcome: OutcomeId | undefined,
  provider: Provider,
): { readonly response: SimulatedAnswer } | { readonly error: Error } | undefined {
  switch (outcome) {
    case "token_error":
      return { response: reply(500, { error: "server_error" }) };
    case "rate_limited":
      return { response: reply(429, { error: "rate_limited" }, { "retry-after": "60" }) };
    case "token_garbage":
      return { response: textReply(200, "<!doctype html><title>Oops</title>", { "content-type": "text/html" }) };
    case "redirect_uri_mismatch":
      return { response: SIMULATED[provider].mismatch?.() ?? reply(400, { error: "invalid_grant" }) };
    case "provider_unreachable":
      return { error: Object.assign(new Error("connect ECONNREFUSED (simulated)"), { code: "ECONNREFUSED" }) };
    case "token_timeout":
      return { error: new DOMException("no answer (simulated)", "TimeoutError") };
    default:
      return undefined;
  }
}

export function alteredPersona(
  persona: PersonaRecord,
  outcome: OutcomeId | undefined,
  provider: Provider,
): PersonaRecord {
  if (outcome === "name_missing") return { ...persona, name: null };
  const account = persona.accounts[provider];
  const alter = outcome && isOfAccount(outcome) ? SIMULATED[provider].altered?.[outcome] : undefined;
  return account && alter
    ? { ...persona, accounts: { ...persona.accounts, [provider]: alter(account, persona) } }
    : persona;
}
