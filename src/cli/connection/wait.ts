import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";

type Env = Context["env"];

/** By a command's environment, of which each run has a copy: when it is to wait no longer. */
const ENDS = new WeakMap<Env, number>();

/** How long commands wait for a service that is not there yet. @throws {CliError} if `SVC_WAIT` is not a number of seconds */
export function waitMs(env: Env): number {
  return env["SVC_WAIT"] ? milliseconds("SVC_WAIT", env["SVC_WAIT"]) : 0;
}

/**
 * Until when a command waits for its service, over all its requests and their retries.
 * @returns as `performance.now()`
 */
export function waitEnd(env: Env): number {
  const end = ENDS.get(env) ?? performance.now() + waitMs(env);
  ENDS.set(env, end);
  return end;
}

/** The service has answered. If it fails again, the wait starts again. */
export function endWait(env: Env): void {
  ENDS.delete(env);
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
