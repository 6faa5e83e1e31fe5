import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";

/** Whether a person is there to answer: a prompt without one would wait for ever, or be answered by accident. */
export function isInteractive(context: Context): boolean {
  return obstacle(context) === undefined;
}

/** @param instead what to do without a prompt, such as `Use --yes.` @throws {CliError} unless a person is there to answer */
export function requirePrompt(context: Context, instead: string): void {
  const why = obstacle(context);
  if (why !== undefined) throw new CliError(EXIT.usage, `Cannot prompt: ${why}.`, instead);
}

/**
 * Asks a person before what destroys records.
 * @param instead what to do without a terminal
 * @throws {CliError} if the answer is no, or if there is no terminal to ask on
 */
export async function requireConsent(context: Context, question: string, instead: string): Promise<void> {
  requirePrompt(context, instead);
  if (!(await context.confirm(question))) throw new CliError(EXIT.failed, "Declined. Nothing was changed.");
}

function obstacle({ stdin, stderr, env }: Context): string | undefined {
  if (!stdin.isTTY) return "standard input is not a terminal";
  if (!stderr.isTTY) return "standard error is not a terminal";
  return ["CI", "SVC_NO_INPUT"].flatMap((name) => (env[name] ? [`${name} is set`] : []))[0];
}
