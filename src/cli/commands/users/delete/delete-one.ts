import { repeat, type Fault, isUnavailable } from "../../../../client/retry.ts";
import { toFailure, type Failure } from "../../../failure.ts";
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

interface Failed {
  readonly failure: Failure;
  readonly error: unknown;
}

/** Deletes a user, with retries if the connection breaks or the service is unavailable. */
export async function deleteOne(id: string, attempt: Attempt): Promise<Attempted> {
  const { isKnown, retries, withinMs, stopped, isStopped, remove } = attempt;
  let tries = 0;
  let failed: Failed | undefined;
  const removeOnce = async (number: number): Promise<Failed | undefined> => {
    if (failed && isStopped()) return failed;
    tries = number;
    failed = await remove(id).then(
      () => undefined,
      (error: unknown) => ({ error, failure: toFailure(error) }),
    );
    return failed;
  };
  const mayPass = ({ status }: Fault): boolean => isUnknown(failed) || status === 429 || isUnavailable(status);
  const last = await repeat(removeOnce, (outcome) => outcome?.error as Fault | undefined, {
    retries,
    mayRetry: (fault) => isKnown && !isStopped() && mayPass(fault),
    deadline: { leftMs: () => withinMs, sleep: (milliseconds) => pause(milliseconds, stopped) },
  });
  if (!last) return { outcome: { id, outcome: "deleted" } };
  const { code, message } = last.failure;
  // A try before it was handled after all.
  if (code === "user_not_found" && tries > 1) return { outcome: { id, outcome: "deleted" } };
  if (code === "user_not_found") return { outcome: { id, outcome: "gone" }, ...last };
  return { outcome: { id, outcome: isUnknown(last) ? "unknown" : "failed", code, error: message }, ...last };
}

/** Whether the service may have handled the request. */
function isUnknown(failed: Failed | undefined): boolean {
  return failed?.failure.code === "connection" || failed?.failure.code === "timeout";
}

async function pause(milliseconds: number, stopped: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([new Promise((resolve) => (timer = setTimeout(resolve, milliseconds))), stopped]);
  clearTimeout(timer);
}
