import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { explainFailure } from "../../connection/failure.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { harmlessJson } from "../../output/text.ts";
import type { Checked, Checks } from "./checks.ts";
import { failureJson, verdictJson, type VerificationJson } from "./json.ts";
import { bare } from "./read-token.ts";

/** How many are checked at the same time. */
const PARALLEL = 32;

/**
 * Verifies one token a line, and writes one JSON object a line in the same order, while they come, with the number of the
 * token's line. Blank lines have none. After a check that
 * failed nothing further is asked; each token that was not checked has its line too.
 * @returns the exit code
 * @throws what the first failed check threw, after the last line, and {CliError} if no tokens were given
 */
export async function verifyBatch(context: Context, checks: Checks, isQuiet: boolean): Promise<ExitCode> {
  const running: { readonly line: number; readonly checked: Promise<Checked> }[] = [];
  let areValid = true;
  let isEmpty = true;
  let failure: { readonly error: unknown; readonly result: VerificationJson } | undefined;
  const failed = (error: unknown): VerificationJson => {
    failure ??= { error, result: failureJson(explainFailure(context, error)) };
    return failure.result;
  };
  const finishOne = async (): Promise<void> => {
    const { line, checked } = running.shift()!;
    const result = await checked.then(({ verdict }) => verdictJson(verdict, checks.how), failed);
    if (!result.valid) areValid = false;
    if (!isQuiet) context.stdout.write(`${harmlessJson({ line, ...result })}\n`);
  };
  let line = 0;
  for await (const text of createInterface({ input: Readable.from(context.stdin) })) {
    line += 1;
    if (text.trim() === "") continue;
    isEmpty = false;
    const checked = failure ? Promise.reject(failure.error) : checks.check(bare(text));
    // Told when its turn comes.
    checked.catch(() => undefined);
    running.push({ line, checked });
    if (running.length >= PARALLEL) await finishOne();
  }
  while (running.length > 0) await finishOne();
  // A list that was not written would else pass as one of valid tokens.
  if (isEmpty) throw new CliError(EXIT.usage, "No tokens on standard input.", "Give one token a line.");
  if (failure) throw failure.error;
  return areValid ? EXIT.done : EXIT.tokenInvalid;
}
