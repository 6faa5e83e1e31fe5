import { durationMs } from "../../wire/text/duration.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";

/**
 * A time as it is given to a flag: a date, a timestamp, or how long ago, e.g. `7d` or `1h30m`.
 * @returns as it is written in a query
 * @throws {CliError}
 */
export function moment(flag: string, text: string, now: Date): string {
  const ago = durationMs(text);
  if (ago !== undefined) {
    const time = new Date(now.getTime() - ago);
    if (time.getUTCFullYear() >= 1) return time.toISOString();
  } else if (/^\d{4}-\d{2}-\d{2}(T.*)?$/.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)))
    return text;
  throw new CliError(
    EXIT.usage,
    `${flag}: "${text}" is not a time.`,
    "Write 2026-01-31, 2026-01-31T23:59:59Z, or how long ago: 30m, 1h30m, 7d, 2w.",
  );
}

/** Whether the calendar has a date; `Date` takes 2026-02-31 for the 3rd of March. */
function isDay(date: string): boolean {
  const time = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date);
}
