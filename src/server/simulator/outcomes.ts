import { createHash } from "node:crypto";
import type { FetchInit, FetchResponse } from "../../wire/fetch.ts";
import type { Provider } from "../../wire/names.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { PersonaRecord } from "../store/records.ts";
import { reply, textReply } from "./provider.ts";

/** How long svc waits for a token endpoint that is not going to answer. */
export const SHORT_TIMEOUT_MS = 250;

/** What a provider's redirect carries in place of a code. */
export const REDIRECT_ERRORS: Partial<Record<OutcomeId, string>> = {
  access_denied: "access_denied",
  temporarily_unavailable: "temporarily_unavailable",
};

const MISMATCH: Readonly<Record<Provider, () => FetchResponse>> = {
  google: () => reply(400, { error: "redirect_uri_mismatch", error_description: "Bad Request" }),
  github: () =>
    reply(200, {
      error: "redirect_uri_mismatch",
      error_description: "The redirect_uri MUST match the registered callback URL for this application.",
    }),
  twitter: () =>
    reply(400, {
      error: "invalid_request",
      error_description: "Value passed for the redirect uri did not match the uri of the authorization code.",
    }),
};

/**
 * What the token endpoint answers where the sign-in is to fail before the code is looked at.
 * @returns undefined: it answers as ever
 * @throws where the connection fails or ends
 */
export async function tokenFailure(
  outcome: OutcomeId | undefined,
  provider: Provider,
  init: FetchInit,
): Promise<FetchResponse | undefined> {
  switch (outcome) {
    case "token_error":
      return reply(500, { error: "server_error" });
    case "rate_limited":
      return reply(429, { error: "rate_limited" }, { "retry-after": "60" });
    case "token_garbage":
      return textReply(200, "<!doctype html><title>Oops</title>", { "content-type": "text/html" });
    case "redirect_uri_mismatch":
      return MISMATCH[provider]();
    case "provider_unreachable":
      throw Object.assign(new Error("connect ECONNREFUSED (simulated)"), { code: "ECONNREFUSED" });
    case "token_timeout":
      return untilAborted(init.signal);
    default:
      return undefined;
  }
}

/** The account as the provider is to show it. */
export function alteredPersona(persona: PersonaRecord, outcome: OutcomeId | undefined): PersonaRecord {
  const { google, github } = persona.accounts as Accounts;
  switch (outcome) {
    case "email_not_verified":
      return withAccounts(persona, {
        ...(google && { google: { ...google, email_verified: false } }),
        ...(github && { github: { ...github, emails: github.emails.map((entry) => ({ ...entry, verified: false })) } }),
      });
    case "email_primary_not_verified":
      return withAccounts(persona, {
        ...(github && { github: { ...github, emails: onlyASecondVerified(persona, github.emails) } }),
      });
    case "account_conflict":
      return withAccounts(persona, {
        ...(google && { google: { ...google, sub: otherUid(google.sub), email_verified: true } }),
        ...(github && {
          github: {
            ...github,
            id: Number(otherUid(String(github.id))),
            login: `${github.login}-2`,
            emails: [{ email: persona.email, primary: true, verified: true }],
          },
        }),
      });
    case "name_missing":
      return { ...persona, name: null };
    default:
      return persona;
  }
}

interface Accounts {
  readonly google?: { readonly sub: string; readonly email_verified: boolean };
  readonly github?: {
    readonly id: number;
    readonly login: string;
    readonly emails: readonly { readonly email: string; readonly primary: boolean; readonly verified: boolean }[];
  };
}
type Emails = NonNullable<Accounts["github"]>["emails"];

function withAccounts(persona: PersonaRecord, accounts: object): PersonaRecord {
  return { ...persona, accounts: { ...persona.accounts, ...accounts } };
}

function onlyASecondVerified({ email }: PersonaRecord, emails: Emails): Emails {
  const others = emails.filter((entry) => !entry.primary).map((entry) => ({ ...entry, verified: true }));
  const second = others.length > 0 ? others : [{ email: `second.${email}`, primary: false, verified: true }];
  return [{ email, primary: true, verified: false }, ...second];
}

/** An account number that is always the same one, and nobody's: real ones are shorter. */
function otherUid(uid: string): string {
  return `9${createHash("sha256").update(`svc other account ${uid}`).digest().readUIntBE(0, 6)}`.slice(0, 15);
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal?.reason instanceof Error ? signal.reason : new Error("timed out"));
    if (!signal || signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}
