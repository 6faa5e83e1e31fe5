import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { runs, type Flags, type GlobalFlags, type Program } from "../../command.ts";
import { explainFailure } from "../../connection/explain-failure.ts";
import { instanceInWords } from "../../connection/target.ts";
import type { Context, Surroundings } from "../../context.ts";
import { UsageError, EXIT, type ExitCode } from "../../errors.ts";
import { exitOf } from "../../failure.ts";
import { readStdin } from "../../files.ts";
import { time, inWords } from "../../output/claims.ts";
import { colors, harmless, harmlessJson, printJson, printRecord, quoted } from "../../output/text.ts";
import { decode, notValid, openCheck, type Check, type Verification } from "./verdict.ts";

export function add(program: Program, context: Surroundings): void {
  const tokens = program.command("tokens");
  const verify = tokens
    .command("verify [token]")
    .description("verify a token; - or no argument reads it from standard input")
    .option(
      "--local",
      "check with the present secret key and this clock; the service also knows deleted users and kept keys",
    )
    .option("--batch", "read one token a line, and print one JSON object a line")
    .option("-q, --quiet", "print nothing, also with --json; use the exit code");
  runs(verify, context, { on: "instance" }, runVerify, {
    examples: [
      ['echo "$TOKEN" | svc tokens verify', "whose token it is, or why it is not valid"],
      ["svc tokens verify -q - < token.txt && ./deploy", "by the exit code alone"],
      ['echo "$TOKEN" | svc tokens verify --local', "without a request"],
      ["svc tokens verify --batch < tokens.txt > results.ndjson", "many tokens, in order"],
    ],
    notes: `Exit code 3 means only that the token is valid but its user was deleted, which the service alone knows. With --batch it
is 5 if any token is not valid. After a check that fails, --batch asks no further, and each token left has a line with that
error.

--json prints valid, code, error, reason, user_id, email, name, provider, avatar_url, expires_at and checked, which is remote,
local, or null after a check that failed. What does not apply is null.

Do not pass a token as an argument on a shared machine: your shell's history keeps it.`,
  });

  const decoding = tokens.command("decode [token]").description("print the claims of a token, without verifying it");
  runs(decoding, context, { on: "nothing" }, runDecode, {
    examples: [['echo "$TOKEN" | svc tokens decode', "its claims, with readable times"]],
  });
}

export type VerifyOptions = Flags<never, "quiet" | "local" | "batch">;

export async function runVerify(context: Context, options: VerifyOptions, argument?: string): Promise<ExitCode> {
  const isSilent = options.quiet === true;
  if (options.batch) {
    if (argument !== undefined && argument !== "-")
      throw new UsageError("--batch reads tokens from standard input.", "Omit the argument.");
    return verifyBatch(context, await openCheck(context, options), isSilent);
  }
  const isJson = options.json === true && !isSilent;
  let verification: Verification;
  try {
    const token = await readToken(context, "verify", argument, isSilent || isJson);
    verification = await (await openCheck(context, options))(token);
  } catch (error) {
    if (isJson) printJson(context, failedCheck(context, error));
    throw error;
  }
  if (isJson) printJson(context, verification);
  else if (!isSilent) print(context, verification);
  return verification.code === null ? EXIT.done : exitOf(verification.code);
}

function print(context: Context, verification: Verification): void {
  const { valid, error, reason, user_id, email, name, provider, avatar_url, expires_at } = verification;
  if (valid) {
    const user = Object.entries({ user_id, email, name, provider, avatar_url });
    return printRecord(context, {
      valid: "yes",
      ...Object.fromEntries(user.map(([field, value]) => [field, String(value)])),
      expires_at: expires_at === null ? "" : time(Date.parse(expires_at) / 1000, context),
    });
  }
  const chalk = colors(context.stderr, context);
  context.stderr.write(`${chalk.red("✗")} ${harmless(error!)}\n`);
  if (reason !== null) context.stderr.write(`  ${harmless(reason)}\n`);
  const { instance } = context.network;
  if (verification.code === "token_wrong_instance" && instance)
    context.stderr.write(`  The key is that of ${instanceInWords(instance)}.\n`);
}

/** Prints what a token says of itself. @throws {CliError} for what cannot be decoded */
export async function runDecode(context: Context, options: GlobalFlags, argument?: string): Promise<void> {
  const token = await readToken(context, "decode", argument, options.json === true);
  const decoded = await decode(token);
  if (!decoded)
    throw new UsageError("Not a token: it cannot be decoded.", "A token has three parts, separated by dots.");
  if (options.json) return printJson(context, { verified: false, ...decoded });
  context.stderr.write("Not verified: anyone can write such a token.\n");
  printRecord(context, inWords(decoded.claims, context));
}

/** What no token ends in: its last part, in base64url, is longer. */
const FILE_NAME = /\.(?:txt|jwt|jws|token|json|env|log)$/i;

/**
 * The token of an argument, or of standard input.
 * @param command the one that is run, for hints
 * @throws {CliError} if there is none, or the argument is a file
 */
async function readToken(
  context: Context,
  command: "verify" | "decode",
  argument: string | undefined,
  isSilent: boolean,
): Promise<string> {
  const isPiped = argument === undefined || argument === "-";
  if (argument === undefined && context.stdin.isTTY)
    throw new UsageError("No token given.", `Pipe it in: echo "$TOKEN" | svc tokens ${command} -`);
  if (!isPiped && FILE_NAME.test(argument) && !bare(argument).startsWith("eyJ"))
    throw new UsageError(
      `"${argument}" is the name of a file, not a token.`,
      `To read a token from it: svc tokens ${command} - < ${quoted(argument)}`,
    );
  if (!isPiped && context.stderr.isTTY && !isSilent)
    context.stderr.write("! Your shell's history keeps a token that is an argument. Pipe it in instead.\n");
  const token = bare(isPiped ? await readStdin(context) : argument);
  if (token === "") throw new UsageError("The token is empty.", "Check that the variable or file has one.");
  return token;
}

const PARALLEL = 32;

/**
 * Verifies one token a line, and writes one JSON object a line in the same order, while they come, with the number of the
 * token's line. Blank lines have none. After a check that failed nothing further is asked; each token that was not checked
 * has its line too.
 * @returns the exit code
 * @throws what the first failed check threw, after the last line, and {CliError} if no tokens were given
 */
async function verifyBatch(context: Context, check: Check, isQuiet: boolean): Promise<ExitCode> {
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
function failedCheck(context: Context, error: unknown): Verification {
  const { code, message } = explainFailure(context, error);
  return { ...notValid(code, message), checked: null };
}

/**
 * The token of what was pasted: without the quotes of a JSON string, the word before it in a header, what comes before it in an address or a query, and the
 * line breaks at the end of a file. Other whitespace makes it invalid.
 */
function bare(text: string): string {
  const line = text
    .replace(/[\r\n]+$/, "")
    .replace(/^"(.*)"$/, "$1")
    .replace(/^(?:Authorization: *)?Bearer +/i, "");
  return /^(?:\S*[?&#])?token=([^&#\s]+)/.exec(line)?.[1] ?? line;
}
