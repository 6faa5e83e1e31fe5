import type { Context } from "../../../context.ts";
import type { Failure } from "../../../errors.ts";
import { createProgress } from "../../../output/progress.ts";
import { openReceipt } from "./receipt.ts";
import { removeAll, type Outcome } from "./remove.ts";

/** How a deletion went. */
export interface Deletion {
  /** One for each, in the order in which they became known. */
  readonly outcomes: readonly Outcome[];
  /** What ended it early. */
  readonly signal?: "SIGINT" | "SIGTERM" | undefined;
  readonly fatal?: Failure | undefined;
  readonly fault?: string | undefined;
  /** The last error, as it was thrown. */
  readonly error?: unknown;
}

/** Deletes until all is done, or a signal comes, or there is no sense in going on. */
export async function deleteAll(
  context: Context,
  ids: readonly string[],
  { concurrency, receiptFile }: { concurrency: number; receiptFile: string | undefined },
  remove: (id: string) => Promise<unknown>,
): Promise<Deletion> {
  const receipt = await openReceipt(context.cwd, receiptFile);
  const removal = removeAll(ids, concurrency, remove);
  const progress = createProgress(context, ids.length);
  const outcomes: Outcome[] = [];
  let signal: "SIGINT" | "SIGTERM" | undefined;
  let fault: string | undefined;
  void (async () => {
    signal = await context.untilSignal();
    removal.halt();
  })();
  for await (const outcome of removal.outcomes) {
    outcomes.push(outcome);
    progress.step();
    await receipt?.add(outcome).catch(({ message }: Error) => {
      fault ??= `The receipt can't be written (${message}).`;
      removal.halt();
    });
  }
  progress.end();
  await receipt?.close();
  return { outcomes, signal, fault, ...removal.ended() };
}
