import { closest } from "../text/suggestion.ts";
import type { Provider } from "./providers.ts";

const INVALID_STATE = 'No redirect: svc answers 400 "Invalid or expired state"';

/**
 * Every way in which a sign-in can end, in the order in which the account picker offers them. `application_sees` is what the
 * application's callback receives, or what the browser shows instead.
 */
const TABLE = {
  success: {
    title: "Sign in",
    description: "The sign-in succeeds.",
    application_sees: "token",
  },
  access_denied: {
    title: "The user cancels",
    description: "The user declines at the provider, which redirects back with an error instead of a code.",
    application_sees: "error=access_denied",
  },
  state_expired: {
    title: "The state expires",
    description: "The user returns from the provider more than ten minutes after the sign-in began.",
    application_sees: INVALID_STATE,
  },
  callback_replayed: {
    title: "The callback is sent twice",
    description: "The browser repeats the provider's redirect, and shows the answer to the second one.",
    application_sees: INVALID_STATE,
  },
  code_rejected: {
    title: "The code is rejected",
    description: "The provider's token endpoint refuses the authorization code.",
    application_sees: "error=server_error",
  },
  invalid_client: {
    title: "The client credentials are wrong",
    description: "The provider's token endpoint refuses the client id or secret.",
    application_sees: "error=server_error",
  },
  redirect_uri_mismatch: {
    title: "The redirect URI differs",
    description: "The provider's token endpoint refuses the redirect_uri of the code exchange.",
    application_sees: "error=server_error",
  },
  token_error: {
    title: "The token endpoint fails",
    description: "The provider's token endpoint answers with status 500.",
    application_sees: "error=temporarily_unavailable",
  },
  token_timeout: {
    title: "The token endpoint times out",
    description: "The provider's token endpoint does not answer before the deadline.",
    application_sees: "error=temporarily_unavailable",
  },
  token_garbage: {
    title: "The token endpoint returns HTML",
    description: "The provider's token endpoint answers 200 with a page instead of JSON.",
    application_sees: "error=server_error",
  },
  rate_limited: {
    title: "The provider limits the rate",
    description: "The provider's token endpoint answers with status 429.",
    application_sees: "error=temporarily_unavailable",
  },
  profile_error: {
    title: "The profile request fails",
    description: "The code exchange succeeds; the request for the profile is answered with status 500.",
    application_sees: "error=temporarily_unavailable",
  },
  email_not_verified: {
    title: "The e-mail address is not verified",
    description: "The provider has no verified e-mail address for the account.",
    application_sees: "error=email_not_verified",
  },
  email_primary_not_verified: {
    title: "The primary address is not verified",
    description: "The account has a verified e-mail address, but its primary one is not verified.",
    application_sees: "error=email_not_verified",
  },
  name_missing: {
    title: "The account has no name",
    description: "The profile has no display name. A new user gets the login or the e-mail address instead.",
    application_sees: "token",
  },
  provider_unreachable: {
    title: "The provider cannot be reached",
    description: "The connection to the provider's token endpoint fails.",
    application_sees: "error=temporarily_unavailable",
  },
  temporarily_unavailable: {
    title: "The provider is unavailable",
    description: "The provider redirects back with error=temporarily_unavailable instead of a code.",
    application_sees: "error=temporarily_unavailable",
  },
  id_token_expired: {
    title: "The id_token is expired",
    description: "The token endpoint answers with an id_token that expired an hour before.",
    application_sees: "an expired id_token",
  },
  wrong_nonce: {
    title: "The id_token has another nonce",
    description: "The token endpoint answers with an id_token of another authorization request.",
    application_sees: "another nonce in the id_token",
  },
  wrong_audience: {
    title: "The id_token is for another client",
    description: "The token endpoint answers with an id_token whose aud and azp are another client's.",
    application_sees: "another audience in the id_token",
  },
  unknown_kid: {
    title: "The id_token is signed with an unknown key",
    description: "The token endpoint answers with an id_token whose key is not among the provider's keys.",
    application_sees: "an unknown kid in the id_token",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<"title" | "description" | "application_sees", string>>>>;

export type OutcomeId = keyof typeof TABLE;
export const OUTCOME_IDS = Object.keys(TABLE) as [OutcomeId, ...OutcomeId[]];
export const OUTCOMES = OUTCOME_IDS.map((id) => ({ id, ...TABLE[id] }));

/** The error of a sign-in through svc that ends so. Undefined if it succeeds. */
export function errorOf(outcome: OutcomeId): string | undefined {
  const { application_sees } = TABLE[outcome];
  return application_sees === INVALID_STATE ? "invalid_state" : /^error=(\w+)$/.exec(application_sees)?.[1];
}

/** Outcomes of the account. Possible at a provider whose accounts can be altered for them. */
export const ACCOUNT_OUTCOMES = [
  "email_not_verified",
  "email_primary_not_verified",
] as const satisfies readonly OutcomeId[];
export type AccountOutcome = (typeof ACCOUNT_OUTCOMES)[number];
/** Possible in a sign-in through the service alone. */
export const SERVICE_OUTCOMES: readonly OutcomeId[] = ["state_expired", "callback_replayed"];
/** Possible in a sign-in of an application's own client alone, at an OpenID provider. The service reads no id_token. */
export const ID_TOKEN_OUTCOMES: readonly OutcomeId[] = [
  "id_token_expired",
  "wrong_nonce",
  "wrong_audience",
  "unknown_kid",
];

/** What people call the ends of sign-ins that have another name here. */
const OTHER_NAMES: Readonly<Record<string, OutcomeId>> = {
  cancel: "access_denied",
  canceled: "access_denied",
  cancelled: "access_denied",
  declined: "access_denied",
  denied: "access_denied",
  ok: "success",
  expired: "state_expired",
  replayed: "callback_replayed",
  timeout: "token_timeout",
  unreachable: "provider_unreachable",
  unverified: "email_not_verified",
};

/** The outcome that was probably meant by an unknown word, such as `cancelled`. Undefined if none is close. */
export function meantOutcome(word: string): OutcomeId | undefined {
  const name = word.toLowerCase().replace(/^user[_-]/, "");
  if (Object.hasOwn(OTHER_NAMES, name)) return OTHER_NAMES[name];
  return closest(word, OUTCOME_IDS) as OutcomeId | undefined;
}

/** Identifies a browser to a simulated provider. Not secret, and unrelated to the user. */
export const BROWSER_COOKIE = "svc_browser";

/** What a simulated provider answers to a program instead of the account picker. */
export interface AccountChoices {
  /** What to do, in words. */
  readonly message: string;
  readonly provider: Provider;
  /** Continues the sign-in with `login_hint`, an account's id, or `email`, any address, added to its query. */
  readonly url: string;
  readonly accounts: readonly {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    /** Signs in with this account. */
    readonly url: string;
  }[];
  /** More accounts; null on the last page. */
  readonly next_url: string | null;
  readonly cancel_url: string;
}

/** Of the changes to a profile, as JSON: the code that takes them along is part of an address. */
export const MAX_PROFILE_LENGTH = 2000;
