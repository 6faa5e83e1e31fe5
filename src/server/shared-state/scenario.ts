import type { Edit } from "../simulator/edit.ts";
import type { ParsedBodyOf } from "../../wire/control/routes.ts";

type Wanted = ParsedBodyOf<"POST /scenarios">;

/** How matching sign-ins end; stored, so that every process applies it. */
export interface Scenario extends Readonly<Pick<Wanted, "outcome" | "times" | "delay_ms">> {
  readonly id: string;
  /** `instance` is an instance's id. */
  readonly match: Readonly<Wanted["match"]>;
  /** A persona's id or e-mail address; null for the hinted account, or the first one. */
  readonly as: string | null;
  readonly label: string | null;
  /** Changes to the profile that the provider sends. */
  readonly profile?: Edit | undefined;
  readonly used: number;
  /** Digests of the states that it decided, so that a reload of the authorize page repeats it. */
  readonly states: readonly string[];
  /** Ascending in order of creation, whatever the clock says. */
  readonly order: number;
  readonly created_at: string;
}

/** How many more sign-ins it applies to; null for no limit. */
export function remainingOf({ times, used }: Scenario): number | null {
  return times === null ? null : Math.max(0, times - used);
}
