import { retryDelayMs } from "../../../../client/retry.ts";
import { isUnavailable } from "../../../../client/transient.ts";
import { toFailure, type Failure } from "../../../errors.ts";
import type { Outcome } from "./receipt.ts";

export interface Attempt {
  /** Whether the user exists. Only then is a deletion repeated: if the user is not found afterwards, it was done. */
  readonly isKnown: boolean;
  readonly retries: number;
  /** A service that asks for a longer pause than this is not asked again. */
  readonly withinMs: number;
  /** Resolves when no further try is to be made. */
  readonly stopped: Promise<unknown>;
  isStopped(): boolean;
  remove(id: string): Promise<unknown>;
}

export interface Attempted {
  readonly outcome: Outcome;
  /** Why the user is not deleted, and what the service threw. */
  readonly failure?: Failure;
  readonly error?: unknown;
}

/** Deletes a user, with retries if the connection breaks or the service is unavailable. */
export async function deleteOne(id: string, attempt: Attempt): Promise<Attempted> {
  const { isKnown, retries, withinMs, stopped, isStopped, remove } = attempt;
  for (let repeated = 0; ; repeated++) {
    try {
      await remove(id);
      return { outcome: { id, outcome: "deleted" } };
    } catch (error) {
      const failure = toFailure(error);
      const { code, message } = failure;
      if (code === "user_not_found")
        return repeated > 0
          ? { outcome: { id, outcome: "deleted" } }
          : { outcome: { id, outcome: "gone" }, failure, error };
      const isUnknown = code === "connection" || code === "timeout";
      const { status, retryAfterMs } = error as { status?: number; retryAfterMs?: number };
      const pauseMs = retryDelayMs(repeated, retryAfterMs);
      const mayPass = isKnown && (isUnknown || status === 429 || isUnavailable(status));
      const goesOn = mayPass && repeated < retries && pauseMs < withinMs;
      if (goesOn) await pause(pauseMs, stopped);
      if (!goesOn || isStopped())
        return { outcome: { id, outcome: isUnknown ? "unknown" : "failed", code, error: message }, failure, error };
    }
  }
}

async function pause(milliseconds: number, stopped: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([new Promise((resolve) => (timer = setTimeout(resolve, milliseconds))), stopped]);
  clearTimeout(timer);
}
