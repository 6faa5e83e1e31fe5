import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { readStdin } from "../../files.ts";
import { quoted } from "../../output/text.ts";

/** What no token ends in: its last part, in base64url, is longer. */
const FILE_NAME = /\.(?:txt|jwt|jws|token|json|env|log)$/i;

/**
 * The token of an argument, or of standard input.
 * @param command the one that is run, for hints
 * @throws {CliError} if there is none, or the argument is a file
 */
export async function readToken(
  context: Context,
  command: "verify" | "decode",
  argument: string | undefined,
  isSilent: boolean,
): Promise<string> {
  const isPiped = argument === undefined || argument === "-";
  if (argument === undefined && context.stdin.isTTY)
    throw new UsageError("No token given.", `Pipe it in: echo "$TOKEN" | svc tokens ${command} -`);
  if (!isPiped && isFile(context, argument))
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

/** Whether an argument is a file, or looks like the name of one. A token begins with `{"` in base64url, and is never shown. */
function isFile({ cwd }: Context, argument: string): boolean {
  if (argument === "" || bare(argument).startsWith("eyJ")) return false;
  const path = resolve(cwd, argument);
  return FILE_NAME.test(argument) || (existsSync(path) && !statSync(path).isDirectory());
}

/** Without the word before it in a header, and the line breaks at the end of a file. Other whitespace makes it invalid. */
export function bare(text: string): string {
  return text.replace(/[\r\n]+$/, "").replace(/^Bearer +/i, "");
}
