import type { ParsedBodyOf } from "../../wire/control/routes.ts";

type Wanted = ParsedBodyOf<"POST /scenarios">;

/** How sign-ins that match will end; kept with the store, so that every process honours it. */
export interface Scenario extends Readonly<Pick<Wanted, "outcome" | "times" | "delay_ms">> {
  readonly id: string;
  /** `instance` is an instance's id. */
  readonly match: Readonly<Wanted["match"]>;
  /** A persona's id or e-mail address; null: the hinted account, else the first one. */
  readonly as: string | null;
  readonly label: string | null;
  readonly used: number;
  /** Digests of the states that it was met by, so that a reload of the authorize page repeats it. */
  readonly states: readonly string[];
  /** Tells the older from the newer one, whatever the clock says. */
  readonly order: number;
  readonly created_at: string;
}

/** For how many sign-ins it still decides; null: until it is deleted. */
export function remainingOf({ times, used }: Scenario): number | null {
  return times === null ? null : Math.max(0, times - used);
}
