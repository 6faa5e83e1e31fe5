import { repeat, isUnavailable, type Fault } from "../../../../client/retry.ts";
import type { Context } from "../../../context.ts";
import { EXIT } from "../../../errors.ts";
import { toFailure, type Failure } from "../../../failure.ts";
import { createProgress } from "../../../output/progress.ts";
import { say } from "../../../output/text.ts";
import type { Outcome, Receipt } from "./receipt.ts";

export interface Deletion {
  /** One for each user, in the order in which they became known. */
  outcomes: Outcome[];
  /** What ended it early: a signal, an error that all the others would have met too, or a receipt that can't be written. */
  signal?: "SIGINT" | "SIGTERM";
  fatal?: unknown;
  fault?: string;
  /** The last error, as it was thrown. */
  error?: unknown;
}

interface DeleteOptions {
  readonly concurrency: number;
  readonly receipt?: Receipt | undefined;
  /** The addresses of the users that exist, by id. */
  readonly emails: ReadonlyMap<string, string>;
  readonly retries: number;
  /** A service that asks for a longer pause than this is not asked again. */
  readonly withinMs: number;
  remove(id: string): Promise<unknown>;
}

/** Deletes until all is done, a signal comes, or going on makes no sense. What was begun by then is still waited for. */
export async function deleteAll(context: Context, ids: readonly string[], options: DeleteOptions): Promise<Deletion> {
  const { concurrency, receipt, emails } = options;
  const ended: Deletion = { outcomes: [] };
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
    const { outcome, failure, error } = await deleteOne(id, options, isHalted, stopped);
    if (outcome.outcome === "deleted") deleted++;
    if (error !== undefined) ended.error = error;
    const concernsAll = failure?.exitCode === EXIT.noKey || failure?.exitCode === EXIT.usage;
    // While others are deleted, the service is there.
    const isAway = outcome.outcome === "unknown" && deleted === before;
    if (concernsAll || isAway) ended.fatal ??= error;
    return outcome;
  };
  const note = async (outcome: Outcome): Promise<void> => {
    progress.to(ended.outcomes.push(outcome));
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
  return ended;
}

/** Why a user is not deleted, and what the service threw. */
interface Failed {
  readonly failure: Failure;
  readonly error: unknown;
}

/**
 * Deletes a user, with retries if the connection breaks or the service is unavailable.
 * @param stopped resolves when no further try is to be made
 */
async function deleteOne(
  id: string,
  { emails, retries, withinMs, remove }: DeleteOptions,
  isStopped: () => boolean,
  stopped: Promise<unknown>,
): Promise<{ outcome: Outcome } & Partial<Failed>> {
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
  const last = await repeat(removeOnce, () => failed?.error as Fault | undefined, {
    retries,
    // Only of a user who is known to exist: one who is not found afterwards was deleted.
    mayRetry: (fault) => emails.has(id) && !isStopped() && mayPass(fault),
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
