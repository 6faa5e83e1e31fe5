import type { Context } from "../../../context.ts";
import { EXIT } from "../../../errors.ts";
import { createProgress } from "../../../output/progress.ts";
import { say } from "../../../output/text.ts";
import { deleteOne, type Attempt } from "./delete-one.ts";
import type { Outcome, Receipt } from "./receipt.ts";

/** How a deletion went. */
export interface Deletion {
  /** One for each user, in the order in which they became known. */
  readonly outcomes: readonly Outcome[];
  /** What ended it early: a signal, an error that all the others would have met too, or a receipt that can't be written. */
  readonly signal?: "SIGINT" | "SIGTERM" | undefined;
  readonly fatal?: unknown;
  readonly fault?: string | undefined;
  /** The last error, as it was thrown. */
  readonly error?: unknown;
}

export interface DeleteOptions extends Pick<Attempt, "retries" | "withinMs" | "remove"> {
  readonly concurrency: number;
  readonly receipt?: Receipt | undefined;
  /** The addresses of the users that exist, by id. */
  readonly emails: ReadonlyMap<string, string>;
}

/** Deletes until all is done, a signal comes, or going on makes no sense. What was begun by then is still waited for. */
export async function deleteAll(
  context: Context,
  ids: readonly string[],
  { concurrency, receipt, emails, ...how }: DeleteOptions,
): Promise<Deletion> {
  const outcomes: Outcome[] = [];
  const ended: { -readonly [Name in keyof Deletion]: Deletion[Name] } = { outcomes };
  let isDone = false;
  const isHalted = (): boolean => Boolean(ended.signal ?? ended.fatal ?? ended.fault);
  const progress = createProgress(context, ids.length);

  const written = async (writing: Promise<void>): Promise<void> => {
    await writing.catch(({ message }: Error) => (ended.fault ??= `The receipt cannot be written (${message}).`));
  };
  const stopped = (async () => {
    ended.signal = await context.untilSignal();
    if (!context.stderr.isTTY || isDone) return;
    progress.end();
    say(context, "Finishing the deletions in progress. To end at once, press Ctrl-C again.");
  })();
  let deleted = 0;
  const attempt = async (id: string): Promise<Outcome> => {
    const before = deleted;
    if (receipt) await written(receipt.begin(id, emails.get(id)));
    // Nothing is deleted that is not on record.
    if (ended.fault !== undefined) return { id, outcome: "not_attempted" };
    const { outcome, failure, error } = await deleteOne(id, {
      ...how,
      isKnown: emails.has(id),
      stopped,
      isStopped: isHalted,
    });
    if (outcome.outcome === "deleted") deleted++;
    if (error !== undefined) ended.error = error;
    const concernsAll = failure?.exitCode === EXIT.noKey || failure?.exitCode === EXIT.usage;
    // While others are deleted, the service is there.
    const isAway = outcome.outcome === "unknown" && deleted === before;
    if (concernsAll || isAway) ended.fatal ??= error;
    return outcome;
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
  await Promise.all(Array.from({ length: concurrency }, work));
  isDone = true;
  for (const id of waiting) await note({ id, outcome: "not_attempted" });
  progress.end();
  await receipt?.close();
  return { ...ended };
}
