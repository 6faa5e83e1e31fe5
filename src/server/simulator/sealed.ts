/** What requests and codes contain when they are sealed. */
import type { Provider } from "../../wire/providers.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { Edit } from "./edit.ts";

export type Purpose = "request" | "code";

/** Sealed content. An array, to be short: it is part of addresses. */
export type Sealed = readonly [
  expires: number,
  provider: Provider,
  client_id: string,
  redirect_uri: string,
  scopes: string,
  code_challenge: string | null,
  details: SealedRequest | SealedPersona,
];
export type SealedRequest = readonly [
  state: string,
  browser: string | null,
  application: SealedApplication | null,
  outcome: OutcomeId | null,
  /** Unix milliseconds, real time. */
  shown_at: number,
  profile: Edit | null,
];
export type SealedApplication = readonly [name: string, origin: string, needsClick: boolean];
export type SealedPersona = readonly [
  id: string,
  email: string,
  name: string | null,
  outcome: OutcomeId | null,
  holder: string | null,
  profile: Edit | null,
];
