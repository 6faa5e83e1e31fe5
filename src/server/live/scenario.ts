import type { Provider } from "../../wire/names.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";

/** How sign-ins that match will end; kept with the store, so that every process honours it. */
export interface Scenario {
  readonly id: string;
  readonly match: {
    readonly provider?: Provider | undefined;
    /** An instance's id. */
    readonly instance?: string | undefined;
    /** The id or label of a browser. */
    readonly browser?: string | undefined;
    readonly login_hint?: string | undefined;
  };
  /** A persona's id or e-mail address; null: the hinted account, else the first one. */
  readonly as: string | null;
  readonly outcome: OutcomeId;
  /** For how many sign-ins; null: until it is deleted. */
  readonly times: number | null;
  readonly delay_ms: number;
  readonly label: string | null;
  readonly used: number;
  /** Digests of the states that it was met by, so that a reload of the authorize page repeats it. */
  readonly states: readonly string[];
  /** Tells the older from the newer one, whatever the clock says. */
  readonly order: number;
  readonly created_at: string;
}

export function remainingOf({ times, used }: Scenario): number | null {
  return times === null ? null : Math.max(0, times - used);
}
