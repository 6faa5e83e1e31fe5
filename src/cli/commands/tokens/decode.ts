import type { Command } from "commander";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { EXIT, UsageError } from "../../errors.ts";
import { printJson, printRecord } from "../../output/text.ts";
import { inWords } from "../../output/claims.ts";
import { readToken } from "./read-token.ts";
import { decode } from "./verdict.ts";

export interface DecodeOptions extends GlobalFlags {
  readonly header?: boolean;
}

export function addDecode(tokens: Command, context: Context): void {
  const command = tokens
    .command("decode [token]")
    .description("print the claims of a token, without verifying it")
    .option("--header", "print its header as well");
  withHelp(command, {
    examples: [['echo "$TOKEN" | svc tokens decode', "its claims, with readable times"]],
    exits: [EXIT.done, EXIT.usage],
  });
  runs(command, (options: DecodeOptions, token: string | undefined) => runDecode(context, options, token));
}

/** Prints what a token says of itself. @throws {CliError} for what cannot be decoded */
export async function runDecode(context: Context, options: DecodeOptions, argument?: string): Promise<void> {
  const token = await readToken(context, "decode", argument, options.json === true);
  const decoded = await decode(token);
  if (!decoded)
    throw new UsageError("Not a token: it cannot be decoded.", "A token has three parts, separated by dots.");
  if (options.json) return printJson(context, { verified: false, ...decoded });
  context.stderr.write("Not verified: anyone can write such a token.\n");
  printRecord(context, {
    ...(options.header && inWords(decoded.header, context)),
    ...inWords(decoded.claims, context),
  });
}
