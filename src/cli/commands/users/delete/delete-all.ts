import type { Context } from "../../../context.ts";
import { toFailure, type Failure } from "../../../errors.ts";
import { createProgress } from "../../../output/progress.ts";
import type { Outcome, Receipt } from "./receipt.ts";

/** How a deletion went. */
export interface Deletion {
  /** One for each user, in the order in which they became known. */
  readonly outcomes: readonly Outcome[];
  /** What ended it early: a signal, an error that all the others would have met too, or a receipt that can't be written. */
  readonly signal?: "SIGINT" | "SIGTERM" | undefined;
  readonly fatal?: Failure | undefined;
  readonly fault?: string | undefined;
  /** The last error, as it was thrown. */
  readonly error?: unknown;
}

export interface DeleteOptions {
  readonly concurrency: number;
  readonly receipt?: Receipt | undefined;
  /** The address of a user, which the receipt records. */
  emailOf(id: string): Promise<string | undefined>;
  remove(id: string): Promise<unknown>;
}

/** Deletes until all is done, a signal comes, or going on makes no sense. What was begun by then is still waited for. */
export async function deleteAll(
  context: Context,
  ids: readonly string[],
  { concurrency, receipt, emailOf, remove }: DeleteOptions,
): Promise<Deletion> {
  const outcomes: Outcome[] = [];
  const ended: { -readonly [Name in keyof Deletion]: Deletion[Name] } = { outcomes };
  const isHalted = (): boolean => Boolean(ended.signal ?? ended.fatal ?? ended.fault);
  const progress = createProgress(context, ids.length);

  const written = async (writing: Promise<void>): Promise<void> => {
    await writing.catch(({ message }: Error) => (ended.fault ??= `The receipt cannot be written (${message}).`));
  };
  const attempt = async (id: string): Promise<Outcome> => {
    try {
      if (receipt) await written(receipt.begin(id, await emailOf(id)));
      // Nothing is deleted that is not on record.
      if (ended.fault !== undefined) throw new Error(ended.fault);
      await remove(id);
      return { id, outcome: "deleted" };
    } catch (error) {
      ended.error = error;
      const failure = toFailure(error);
      const { code, message } = failure;
      if (code === "user_not_found") return { id, outcome: "gone" };
      const isUnknown = code === "connection" || code === "timeout";
      if (isUnknown || code === "unauthorized" || code === "missing_secret_key") ended.fatal ??= failure;
      return { id, outcome: isUnknown ? "unknown" : "failed", code, error: message };
    }
  };
  const note = async (outcome: Outcome): Promise<void> => {
    outcomes.push(outcome);
    progress.to(outcomes.length);
    if (receipt) await written(receipt.add(outcome));
  };

  const waiting = [...ids];
  const work = async (): Promise<void> => {
    while (waiting.length > 0 && !isHalted()) await note(await attempt(waiting.shift()!));
  };
  void (async () => {
    ended.signal = await context.untilSignal();
  })();
  await Promise.all(Array.from({ length: concurrency }, work));
  for (const id of waiting) await note({ id, outcome: "not_attempted" });
  progress.end();
  await receipt?.close();
  return { ...ended };
}
