const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const PARTS = /^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/;

/**
 * Milliseconds of a duration such as `90d`, `1h30m` or `1.5s`, wherever one is typed.
 * @param bare what a number without a unit counts, where one is allowed
 * @returns undefined if it is not a duration
 */
export function durationMs(text: string, bare?: "ms" | "s"): number | undefined {
  if (bare && /^\d+(?:\.\d+)?$/.test(text)) return finite(Number(text) * UNITS[bare]!);
  if (!PARTS.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)) total += Number(amount) * UNITS[unit!]!;
  return finite(total);
}

function finite(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.round(ms) : undefined;
}

const LENGTHS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;
const JUST_NOW_SECONDS = 5;

/** Created on first use: most commands never need them. */
const formats: { long?: Intl.RelativeTimeFormat; short?: Intl.RelativeTimeFormat } = {};

/**
 * How far a moment is from the present, in whole units that have passed: `3 minutes ago`, `in 1 hour`, `just now`; 59
 * minutes and 59 seconds are 59 minutes. `short` writes `3 min. ago`.
 */
export function relativeTime(at: Date | number, now: Date | number, style: "long" | "short" = "long"): string {
  const seconds = (Number(at) - Number(now)) / 1000;
  const unit = LENGTHS.find(([, length]) => Math.abs(seconds) >= length);
  if (!unit || Math.abs(seconds) < JUST_NOW_SECONDS) return "just now";
  formats[style] ??= new Intl.RelativeTimeFormat("en", { numeric: "always", style });
  return formats[style].format(Math.trunc(seconds / unit[1]), unit[0]);
}

/** Whether the calendar has a date; `Date` takes 2026-02-31 for the 3rd of March. */
export function isDay(date: string): boolean {
  const time = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date);
}

/** The time with its offset in hours, or hours and minutes, as PostgreSQL prints it. */
const POSTGRES = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(?::?(\d\d))?$/;
/** `toString` and `toUTCString` of a date, which `Date` reads again (ECMA-262, 21.4.3.2). */
const JAVASCRIPT =
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} [\d:]{8} GMT[+-]\d{4}(?: \(.*\))?$|^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/;

/** A date and time as PostgreSQL or JavaScript prints it, in the form of RFC 3339. Anything else is left as it is. */
export function isoTime(text: string): string {
  const [, day, time, hours, minutes = "00"] = POSTGRES.exec(text) ?? [];
  if (day !== undefined) return `${day}T${time}${hours}:${minutes}`;
  const date = JAVASCRIPT.test(text) ? new Date(text) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? text : date.toISOString();
}
