import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";

/** Whether a person is there to answer: a prompt without one would wait for ever, or be answered by accident. */
export function isInteractive(context: Context): boolean {
  return obstacle(context) === undefined;
}

/** @param instead what to do without a prompt, such as `Use --yes.` */
export function requirePrompt(context: Context, instead: string): void {
  const why = obstacle(context);
  if (why !== undefined) throw new UsageError(`Cannot prompt: ${why}.`, instead);
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
  const prompts = await import("@inquirer/prompts");
  return prompts.confirm({ message, default: false, theme }, { output: process.stderr });
}

export async function ask(message: string): Promise<string> {
  const { input } = await import("@inquirer/prompts");
  return input({ message, theme }, { output: process.stderr });
}

export async function askSecret(message: string): Promise<string> {
  const { password } = await import("@inquirer/prompts");
  // Ctrl-T would show what is typed.
  const hidden = { mask: false, toggleMask: false, theme: { style: { maskedText: "" } } };
  return password({ message, ...hidden }, { output: process.stderr });
}

/** Whether a program that shows pages can be expected. */
export function hasDesktop({ env }: Pick<Context, "env">): boolean {
  const isOther = process.platform === "darwin" || process.platform === "win32";
  return isOther || Boolean(env["SVC_BROWSER"] || env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
}
