import type { Delays } from "../../wire/control/scenarios.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { Provider } from "../../wire/providers.ts";
import type { Chosen } from "../history/flows.ts";
import type { LabelledBrowser } from "./browser.ts";
import type { Edit } from "./edit.ts";

/** An authorization request of a client (RFC 6749, 4.1.1; RFC 7636, 4.3). */
export interface AuthorizationRequest {
  readonly provider: Provider;
  readonly client_id: string;
  /** Which registration of the client this is for: one that is deleted and made again is another. */
  readonly registration: string;
  /** The instance of the application whose own client this is. Undefined for this service's own. */
  readonly instance_id?: string | undefined;
  /** Undefined for a request that this service did not begin, with its own client. */
  readonly flow_id?: string | undefined;
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
  readonly code_challenge?: string | undefined;
  readonly state: string;
  /** For the id_token (OpenID Connect Core 1.0, 3.1.2.1). */
  readonly nonce?: string | undefined;
  /** Whether the application asks for a refresh token. */
  readonly isOffline?: boolean | undefined;
  /** Whether the account's holder is asked for consent, whatever was granted before. */
  readonly asksConsent?: boolean | undefined;
  /** The browser that may answer it; undefined for a program. */
  readonly browser: string | undefined;
  readonly outcome?: OutcomeId | undefined;
  readonly chosen?: Chosen | undefined;
  readonly profile?: Edit | undefined;
  readonly delays?: Delays | undefined;
}

/** A sign-in that arrives at a provider, with or without a browser. */
export interface Arrival {
  readonly asked: AuthorizationRequest;
  readonly instance_id: string;
  readonly login_hint: string | undefined;
  readonly labelledBrowser: LabelledBrowser | undefined;
  /** Whether only a scenario for this very browser may decide: a page of another site began the sign-in. */
  readonly needsClick?: boolean;
  /** What a program asked for. No scenario applies then, and each says why. */
  readonly outcome?: OutcomeId | undefined;
}

/** Account and outcome that are decided before the picker is shown. */
export interface Decision extends Pick<AuthorizationRequest, "chosen" | "profile" | "delays"> {
  readonly outcome: OutcomeId;
  /** A persona's id or e-mail address; undefined for the hinted account, or the first one. */
  readonly as: string | undefined;
}

export type Decide = (arrival: Arrival) => Promise<Decision | undefined>;

/** What was decided goes with the request, and with its code. */
export function withDecision(
  asked: AuthorizationRequest,
  { outcome, chosen, profile, delays }: Omit<Decision, "as">,
): AuthorizationRequest {
  return { ...asked, outcome, chosen, profile, delays };
}
