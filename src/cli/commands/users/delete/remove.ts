import { toFailure, type Failure } from "../../../errors.ts";

/** What became of one. `unknown`: the connection broke, and it may be gone. `gone`: it was not there any more. */
export interface Outcome {
  readonly id: string;
  readonly outcome: "deleted" | "gone" | "failed" | "unknown" | "not_attempted";
  /** Why, where it failed. */
  readonly code?: string;
  readonly error?: string;
}

/** A run that can be ended early; whatever was begun by then is still waited for. */
export interface Removal {
  readonly outcomes: AsyncGenerator<Outcome>;
  halt(): void;
  /** The last error; and what ended it by itself, because the others would have failed in the same way. */
  ended(): { readonly error: unknown; readonly fatal: Failure | undefined };
}

/** Deletes with parallel requests, and yields each outcome as soon as it is known. */
export function removeAll(
  ids: readonly string[],
  concurrency: number,
  remove: (id: string) => Promise<unknown>,
): Removal {
  const state: { isHalted: boolean; error: unknown; fatal: Failure | undefined } = {
    isHalted: false,
    error: undefined,
    fatal: undefined,
  };

  const attempt = async (id: string): Promise<Outcome> => {
    try {
      await remove(id);
      return { id, outcome: "deleted" };
    } catch (error) {
      state.error = error;
      const failure = toFailure(error);
      const { code, message } = failure;
      if (code === "user_not_found") return { id, outcome: "gone" };
      const isUnknown = code === "connection" || code === "timeout";
      if (isUnknown || code === "unauthorized" || code === "missing_secret_key") {
        state.fatal ??= failure;
        state.isHalted = true;
      }
      return { id, outcome: isUnknown ? "unknown" : "failed", code, error: message };
    }
  };

  async function* run(): AsyncGenerator<Outcome> {
    const waiting = [...ids];
    const running = new Map<string, Promise<Outcome>>();
    for (;;) {
      while (!state.isHalted && running.size < concurrency && waiting.length > 0) {
        const id = waiting.shift()!;
        running.set(id, attempt(id));
      }
      if (running.size === 0) break;
      const outcome = await Promise.race(running.values());
      running.delete(outcome.id);
      yield outcome;
    }
    for (const id of waiting) yield { id, outcome: "not_attempted" };
  }

  return {
    outcomes: run(),
    halt: () => void (state.isHalted = true),
    ended: () => state,
  };
}
