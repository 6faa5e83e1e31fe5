import type { Context } from "../context.ts";
import { CliError, EXIT, UsageError } from "../errors.ts";

/** Whether a person is there to answer: a prompt without one would wait for ever, or be answered by accident. */
export function isInteractive(context: Context): boolean {
  return obstacle(context) === undefined;
}

/** @param instead what to do without a prompt, such as `Use --yes.` */
export function requirePrompt(context: Context, instead: string): void {
  const why = obstacle(context);
  if (why !== undefined) throw new UsageError(`Cannot prompt: ${why}.`, instead);
}

/**
 * Asks a person before what destroys records.
 * @param instead what to do without a terminal
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

/** A check mark beside a no would look as if it were done. */
const theme = { prefix: "?" };

/** Yes or no. No unless the person types yes. */
export async function confirm(message: string): Promise<boolean> {
  if (isDumb()) return /^y(?:es)?$/i.test(await plainAnswer(`${message} (y/N) `));
  const prompts = await import("@inquirer/prompts");
  return prompts.confirm({ message, default: false, theme }, { output: process.stderr });
}

export async function ask(
  message: string,
  standard?: string,
  fault: (answer: string) => string | undefined = () => undefined,
): Promise<string> {
  if (!isDumb()) {
    const { input } = await import("@inquirer/prompts");
    const validate = (answer: string): string | true => fault(answer) ?? true;
    const question = { message, validate, theme, ...(standard !== undefined && { default: standard }) };
    return input(question, { output: process.stderr });
  }
  for (;;) {
    const asked = standard === undefined ? message : `${message} (${standard})`;
    const answer = (await plainAnswer(`${asked} `)) || (standard ?? "");
    const wrong = fault(answer);
    if (wrong === undefined) return answer;
    process.stderr.write(`${wrong}\n`);
  }
}

export async function askSecret(message: string): Promise<string> {
  const { password } = await import("@inquirer/prompts");
  // Ctrl-T would show what is typed.
  const hidden = { mask: false, toggleMask: false, theme: { style: { maskedText: "" } } };
  return password({ message, ...hidden }, { output: process.stderr });
}

/** Whether the terminal knows no escape sequences, by which prompts redraw their line. */
function isDumb(): boolean {
  // eslint-disable-next-line node/no-process-env
  return process.env["TERM"] === "dumb";
}

async function plainAnswer(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const ended = new Promise<never>((_, reject) => {
    lines.once("close", () => reject(new CliError(EXIT.interrupted, "Interrupted.")));
  });
  ended.catch(() => undefined);
  try {
    return await Promise.race([lines.question(question), ended]);
  } finally {
    lines.close();
  }
}

/** Whether a program that shows pages can be expected. */
export function hasDesktop({ env }: Pick<Context, "env">): boolean {
  const isOther = process.platform === "darwin" || process.platform === "win32";
  return isOther || Boolean(env["SVC_BROWSER"] || env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
}
