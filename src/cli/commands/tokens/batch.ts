import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { explainFailure } from "../../connection/failure.ts";
import type { Context } from "../../context.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { harmlessJson } from "../../output/text.ts";
import type { Checked, Checks } from "./checks.ts";
import { failureJson, verdictJson, type VerificationJson } from "./json.ts";
import { bare } from "./read-token.ts";

/** How many are checked at the same time. */
const PARALLEL = 32;

/**
 * Verifies one token a line, and writes one JSON object a line in the same order, while they come. After a check that
 * failed nothing further is asked; each token that was not checked has its line too.
 * @returns the exit code
 * @throws what the first failed check threw, after the last line
 */
export async function verifyBatch(context: Context, checks: Checks, isQuiet: boolean): Promise<ExitCode> {
  const running: Promise<Checked>[] = [];
  let areValid = true;
  let failure: { readonly error: unknown; readonly line: VerificationJson } | undefined;
  const failed = (error: unknown): VerificationJson => {
    failure ??= { error, line: failureJson(explainFailure(context, error)) };
    return failure.line;
  };
  const finishOne = async (): Promise<void> => {
    const line = await running.shift()!.then(({ verdict }) => verdictJson(verdict, checks.how), failed);
    if (!line.valid) areValid = false;
    if (!isQuiet) context.stdout.write(`${harmlessJson(line)}\n`);
  };
  for await (const line of createInterface({ input: Readable.from(context.stdin) })) {
    if (line.trim() === "") continue;
    const checked = failure ? Promise.reject(failure.error) : checks.check(bare(line));
    // Told when its turn comes.
    checked.catch(() => undefined);
    running.push(checked);
    if (running.length >= PARALLEL) await finishOne();
  }
  while (running.length > 0) await finishOne();
  if (failure) throw failure.error;
  return areValid ? EXIT.done : EXIT.tokenInvalid;
}
