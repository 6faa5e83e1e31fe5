import { durationMs } from "../wire/text/duration.ts";
import { CliError } from "./errors.ts";
import { EXIT } from "./exit-codes.ts";

/** How a duration is written where a number alone is one of seconds. */
export const DURATION_FORM = "Write seconds, such as 30 or 0.5, or a duration, such as 500ms, 90s or 1h30m.";
const MILLISECONDS_FORM = "Write milliseconds, such as 500, or a duration, such as 500ms, 90s or 1h30m.";

interface DurationRules {
  /** What a number alone counts; default seconds. */
  readonly bare?: "ms" | "s";
  /** Default: no bound but that of `Date`. */
  readonly mostMs?: number;
}

/** The longest time that `Date` knows. */
const MOST_MS = 8.64e15;

/**
 * Milliseconds of what a person has typed: `30`, which is seconds, or `1m30s`.
 * @param source the flag or the variable
 * @throws {CliError}
 */
export function durationFrom(
  source: string,
  text: string,
  { bare = "s", mostMs = MOST_MS }: DurationRules = {},
): number {
  const ms = durationMs(text, bare);
  if (ms === undefined)
    throw new CliError(
      EXIT.usage,
      `${source}: "${text}" is not a duration.`,
      bare === "s" ? DURATION_FORM : MILLISECONDS_FORM,
    );
  if (ms > mostMs)
    throw new CliError(EXIT.usage, `${source}: "${text}" is too long.`, `Give at most ${mostMs / 1000}s.`);
  return ms;
}
