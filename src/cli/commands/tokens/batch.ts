import type { Context } from "../../context.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { harmlessJson } from "../../output/text.ts";
import type { Checked, Checks } from "./checks.ts";
import { verdictJson } from "./json.ts";
import { bare } from "./read-token.ts";

/** How many are checked at the same time. */
const PARALLEL = 32;

/**
 * Verifies one token a line, and writes one JSON object a line in the same order, while they come.
 * @returns the exit code
 * @throws where there was no answer about one of them; those before it are written
 */
export async function verifyBatch(context: Context, checks: Checks, isQuiet: boolean): Promise<ExitCode> {
  const running: Promise<Checked>[] = [];
  let areValid = true;
  const finishOne = async (): Promise<void> => {
    const { verdict } = await running.shift()!;
    if (!verdict.valid) areValid = false;
    if (!isQuiet) context.stdout.write(`${harmlessJson(verdictJson(verdict, checks.how))}\n`);
  };
  for await (const line of linesOf(context.stdin)) {
    if (line.trim() === "") continue;
    const checked = checks.check(bare(line));
    // Told when its turn comes.
    checked.catch(() => undefined);
    running.push(checked);
    if (running.length >= PARALLEL) await finishOne();
  }
  while (running.length > 0) await finishOne();
  return areValid ? EXIT.done : EXIT.tokenInvalid;
}

async function* linesOf(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }))).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  yield rest;
}
