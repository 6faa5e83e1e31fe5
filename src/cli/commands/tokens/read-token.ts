import type { Context } from "../../context.ts";
import { readStdin } from "../../input.ts";
import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";

/** The token of an argument, or of standard input. @throws {CliError} where there is none */
export async function readToken(context: Context, argument: string | undefined, isSilent: boolean): Promise<string> {
  const isPiped = argument === undefined || argument === "-";
  if (argument === undefined && context.stdin.isTTY)
    throw new CliError(EXIT.usage, "No token given.", 'Pipe it in: echo "$TOKEN" | svc tokens verify -');
  if (!isPiped && context.stderr.isTTY && !isSilent)
    context.stderr.write("! Your shell's history keeps a token that is an argument. Pipe it in instead.\n");
  const token = bare(isPiped ? await readStdin(context) : argument);
  if (token === "") throw new CliError(EXIT.usage, "The token is empty.", "Check that the variable or file has one.");
  return token;
}

/** Without the word before it in a header. */
export function bare(text: string): string {
  return text.trim().replace(/^Bearer +/i, "");
}
