import type { Context } from "../context.ts";
import { durationFrom } from "../duration.ts";

/** The longest wait: longer ones don't fit into a timer. */
export const MOST_WAIT_MS = 86_400_000;

/** How long commands wait for a service that is not there yet. @throws {CliError} if `SVC_WAIT` is not a duration */
export function waitMs(env: Context["env"]): number {
  return env["SVC_WAIT"] ? durationFrom("SVC_WAIT", env["SVC_WAIT"], { mostMs: MOST_WAIT_MS }) : 0;
}
