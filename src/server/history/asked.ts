import type { AnswerOf } from "../../wire/control/types.ts";
import { errorOf, type OutcomeId } from "../../wire/outcomes.ts";

export type AskedBy = NonNullable<AnswerOf<"GET /flows">[number]["data"]["asked_by"]>;

/** Who chose that a sign-in fails. It travels with the request and its code. */
export interface Chosen {
  readonly by: AskedBy;
  /** From `causeOf`: `token_error`, or `with a changed profile`. */
  readonly cause: string;
}

/** Whether a sign-in through svc failed as its outcome says: another error is not the one that was asked for. */
export function isExpected(outcome: OutcomeId | null, error: string): boolean {
  // A changed profile or a delay can have any end that a provider's answer has.
  if (outcome === null || outcome === "success") return error !== "invalid_state" && error !== "access_denied";
  return errorOf(outcome) === error;
}

/** `As the scenario token_error asked`: what the reason of a failure begins with that was asked for. */
export function askerOf({ by, cause }: Chosen): string {
  if (by === "picker") return "As chosen in the picker";
  return by === "replay" ? "As the replay asked" : `As the ${by} ${cause} asked`;
}
