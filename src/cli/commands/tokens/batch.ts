import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { parsedJson } from "../../../wire/text/json.ts";
import { explainFailure } from "../../connection/explain-failure.ts";
import type { Context } from "../../context.ts";
import { UsageError, EXIT, type ExitCode } from "../../errors.ts";
import { readInput } from "../../files.ts";
import { harmlessJson } from "../../output/text.ts";
import type { Checked, Checks, Verification } from "./checks.ts";
import { notValid } from "./verdict.ts";

const PARALLEL = 32;

/**
 * Verifies one token a line, and writes one JSON object a line in the same order, while they come, with the number of the
 * token's line. Blank lines have none. After a check that
 * failed nothing further is asked; each token that was not checked has its line too.
 * @param options with `resume`, the output of an earlier batch: the tokens that it has checked are left out
 * @returns the exit code
 * @throws what the first failed check threw, after the last line, and {CliError} if no tokens were given
 */
export async function verifyBatch(
  context: Context,
  checks: Checks,
  { isQuiet, resume }: { readonly isQuiet: boolean; readonly resume?: string | undefined },
): Promise<ExitCode> {
  const before = await readResults(context, resume);
  const running: { readonly line: number; readonly checked: Promise<Checked> }[] = [];
  let areValid = ![...before.values()].includes(false);
  let isEmpty = true;
  let failure: { readonly error: unknown; readonly result: Verification } | undefined;
  const failed = (error: unknown): Verification => {
    failure ??= { error, result: failedCheck(context, error) };
    return failure.result;
  };
  const finishOne = async (): Promise<void> => {
    const { line, checked } = running.shift()!;
    const result = await checked.then(({ verification }) => verification, failed);
    if (!result.valid) areValid = false;
    if (!isQuiet) context.stdout.write(`${harmlessJson({ line, ...result })}\n`);
  };
  let line = 0;
  for await (const text of createInterface({ input: Readable.from(context.stdin) })) {
    line += 1;
    if (text.trim() === "") continue;
    isEmpty = false;
    if (before.has(line)) continue;
    const checked = failure ? Promise.reject(failure.error) : checks.check(bare(text));
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

/** Whether the tokens of an earlier batch were valid, by line. Those whose check failed are not among them. */
async function readResults(context: Context, path: string | undefined): Promise<ReadonlyMap<number, boolean>> {
  if (path === undefined) return new Map();
  const text = await readInput(context, path, `--resume: "${path}"`);
  const results = text.split("\n").map((line) => parsedJson(line) as Partial<Verification & { line: number }> | null);
  const isResult = results.map((result) => typeof result?.line === "number" && typeof result.valid === "boolean");
  if (text.trim() !== "" && !isResult.includes(true))
    throw new UsageError(`--resume: "${path}" is not the output of --batch.`);
  // The line that a run was killed in the middle of.
  if (text !== "" && !text.endsWith("\n")) context.stdout.write("\n");
  const checked = results.filter((result, i) => isResult[i] && result!.checked !== null);
  return new Map(checked.map((result) => [result!.line!, result!.valid!]));
}

/** A check that did not decide about a token has the same form. */
export function failedCheck(context: Context, error: unknown): Verification {
  const { code, message } = explainFailure(context, error);
  return { ...notValid(code, message), checked: null };
}

/** Without the word before it in a header, and the line breaks at the end of a file. Other whitespace makes it invalid. */
export function bare(text: string): string {
  return text.replace(/[\r\n]+$/, "").replace(/^Bearer +/i, "");
}
