const UNITS = [
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
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  if (!unit || Math.abs(seconds) < JUST_NOW_SECONDS) return "just now";
  formats[style] ??= new Intl.RelativeTimeFormat("en", { numeric: "always", style });
  return formats[style].format(Math.trunc(seconds / unit[1]), unit[0]);
}
