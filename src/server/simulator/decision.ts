import type { OutcomeId } from "../../wire/outcomes.ts";
import type { LabelledBrowser } from "./browser.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

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

/** How a sign-in ends, if that is decided already. */
export type Decide = (arrival: Arrival) => Promise<Decision | undefined>;

/** What was decided goes with the request, and with its code. */
export function withDecision(
  asked: AuthorizationRequest,
  { outcome, chosen, profile, delays }: Omit<Decision, "as">,
): AuthorizationRequest {
  return { ...asked, outcome, chosen, profile, delays };
}
