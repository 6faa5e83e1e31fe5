import type { Context } from "../../../context.ts";
import type { Failure } from "../../../errors.ts";
import { createProgress } from "../../../output/progress.ts";
import type { Receipt } from "./receipt.ts";
import { removeAll, type Outcome } from "./remove.ts";

/** How a deletion went. */
export interface Deletion {
  /** One for each user, in the order in which they became known. */
  readonly outcomes: readonly Outcome[];
  /** What ended it early. */
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

/** Deletes until all is done, a signal comes, or going on makes no sense. */
export async function deleteAll(
  context: Context,
  ids: readonly string[],
  { concurrency, receipt, emailOf, remove }: DeleteOptions,
): Promise<Deletion> {
  let signal: "SIGINT" | "SIGTERM" | undefined;
  let fault: string | undefined;
  const stopAtFault = async (writing: Promise<void>): Promise<void> => {
    await writing.catch(({ message }: Error) => {
      fault ??= `The receipt cannot be written (${message}).`;
      removal.halt();
    });
  };
  const recorded = async (id: string): Promise<unknown> => {
    if (!receipt) return remove(id);
    const email = await emailOf(id);
    await stopAtFault(receipt.begin(id, email));
    // Nothing is deleted that is not on record.
    if (fault !== undefined) throw new Error(fault);
    return remove(id);
  };
  const removal = removeAll(ids, concurrency, recorded);
  const progress = createProgress(context, ids.length);
  const outcomes: Outcome[] = [];
  void (async () => {
    signal = await context.untilSignal();
    removal.halt();
  })();
  for await (const outcome of removal.outcomes) {
    outcomes.push(outcome);
    progress.step();
    if (receipt) await stopAtFault(receipt.add(outcome));
  }
  progress.end();
  await receipt?.close();
  return { outcomes, signal, fault, ...removal.ended() };
}
