import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";

type Env = Context["env"];

/** How long commands wait for a service that is not there yet. @throws {CliError} if `SVC_WAIT` is not a number of seconds */
export function waitMs(env: Env): number {
  return env["SVC_WAIT"] ? milliseconds("SVC_WAIT", env["SVC_WAIT"]) : 0;
}

/** @throws {CliError} if a variable is not a number of seconds */
export function milliseconds(variable: string, text: string): number {
  if (isSeconds(text)) return Math.round(Number(text) * 1000);
  throw new CliError(
    EXIT.usage,
    `${variable}: "${text}" is not a number of seconds.`,
    "Write it without a unit, such as 30 or 0.5.",
  );
}

/** Whether a text is a number of seconds, in the way that all settings have it. */
export function isSeconds(text: string): boolean {
  return /^\d{1,5}(?:\.\d{1,3})?$/.test(text);
}
