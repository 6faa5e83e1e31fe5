import type { VerifiedToken } from "../../wire/resources.ts";
import type { GlobalFlags } from "../config.ts";
import { readStdin, type Context } from "../context.ts";
import { CliError, EXIT, toFailure } from "../errors.ts";
import { colors, harmless, printJson, printRecord } from "../output.ts";
import type { Program } from "../program.ts";
import { openClient } from "./client.ts";

export function addTokens(program: Program, context: Context): void {
  const tokens = program.command("tokens");

  tokens
    .command("verify [token]")
    .description("ask the service whether a token is valid; - or nothing reads it from standard input")
    .option("-q, --quiet", "print nothing: the exit code says it, 0 valid, 5 not, 3 its user is gone")
    .addHelpText(
      "after",
      `
Examples:
  echo "$TOKEN" | svc tokens verify -
  svc tokens verify -q - < token.txt && ./deploy`,
    )
    .action(async (argument: string | undefined, { quiet }: { quiet?: boolean }) => {
      const flags = program.opts<GlobalFlags>();
      const token = await readToken(context, argument);
      const client = await openClient(context, flags);
      try {
        const verified = await client.tokens.verify(token);
        if (flags.json) printJson(context, verified);
        else if (!quiet) printRecord(context, record(verified));
      } catch (error) {
        const { exitCode, code, message } = toFailure(error);
        const isAnswer = exitCode === EXIT.tokenInvalid || code === "user_not_found";
        if (!isAnswer) throw error;
        program.exitCode = exitCode;
        if (flags.json) printJson(context, { valid: false, error: message });
        else if (!quiet) context.stderr.write(`${colors(context.stderr, context).red("✗")} ${harmless(message)}\n`);
      }
    });
}

async function readToken(context: Context, argument: string | undefined): Promise<string> {
  const isPiped = argument === undefined || argument === "-";
  if (argument === undefined && context.stdin.isTTY)
    throw new CliError(EXIT.usage, "Which token?", 'Pipe it in: echo "$TOKEN" | svc tokens verify -');
  const token = (isPiped ? await readStdin(context) : argument).trim();
  if (token === "") throw new CliError(EXIT.usage, "There was no token on standard input.");
  return token;
}

function record({ id, data }: VerifiedToken): Record<string, string> {
  return {
    valid: "yes",
    user_id: id,
    email: data.email,
    name: data.name,
    provider: data.provider,
    avatar_url: data.avatar_url,
  };
}
