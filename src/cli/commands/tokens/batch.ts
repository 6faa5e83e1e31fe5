import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { explainFailure } from "../../connection/explain-failure.ts";
import type { Context } from "../../context.ts";
import { UsageError, EXIT, type ExitCode } from "../../errors.ts";
import { harmlessJson } from "../../output/text.ts";
import { notValid, type Check, type Verification } from "./verdict.ts";

const PARALLEL = 32;

/**
 * Verifies one token a line, and writes one JSON object a line in the same order, while they come, with the number of the
 * token's line. Blank lines have none. After a check that failed nothing further is asked; each token that was not checked
 * has its line too.
 * @returns the exit code
 * @throws what the first failed check threw, after the last line, and {CliError} if no tokens were given
 */
export async function verifyBatch(context: Context, check: Check, isQuiet: boolean): Promise<ExitCode> {
  let areValid = true;
  let isEmpty = true;
  const running: { readonly line: number; readonly checked: Promise<Verification> }[] = [];
  let failure: { readonly error: unknown; readonly result: Verification } | undefined;
  const failed = (error: unknown): Verification => {
    failure ??= { error, result: failedCheck(context, error) };
    return failure.result;
  };
  const finishOne = async (): Promise<void> => {
    const { line, checked } = running.shift()!;
    const result = await checked.catch(failed);
    if (!result.valid) areValid = false;
    if (!isQuiet) context.stdout.write(`${harmlessJson({ line, ...result })}\n`);
  };
  let line = 0;
  for await (const text of createInterface({ input: Readable.from(context.stdin) })) {
    line += 1;
    if (text.trim() === "") continue;
    isEmpty = false;
    const checked = failure ? Promise.reject(failure.error) : check(bare(text));
    // Told when its turn comes.
    checked.catch(() => undefined);
    running.push({ line, checked });
    if (running.length >= PARALLEL) await finishOne();
  }
  while (running.length > 0) await finishOne();
  // A list that was not written would else pass as one of valid tokens.
  if (isEmpty) throw new UsageError("No tokens on standard input.", "Give one token a line.");
  if (failure) throw failure.error;
  return areValid ? EXIT.done : EXIT.tokenInvalid;
}

/** A check that did not decide about a token has the same form. */
export function failedCheck(context: Context, error: unknown): Verification {
  const { code, message } = explainFailure(context, error);
  return { ...notValid(code, message), checked: null };
}

/**
 * The token of what was pasted: without the word before it in a header, what comes before it in an address or a query, and the
 * line breaks at the end of a file. Other whitespace makes it invalid.
 */
export function bare(text: string): string {
  const line = text.replace(/[\r\n]+$/, "").replace(/^(?:Authorization: *)?Bearer +/i, "");
  return /^(?:\S*[?&#])?token=([^&#\s]+)/.exec(line)?.[1] ?? line;
}
