import type { Context } from "./context.ts";

const STEPS: readonly [limit: number, seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 1, "second"],
  [3600, 60, "minute"],
  [86_400, 3600, "hour"],
  [86_400 * 30, 86_400, "day"],
  [86_400 * 365, 86_400 * 30, "month"],
  [Infinity, 86_400 * 365, "year"],
];

/** `3 minutes ago`, `in 1 hour`. */
export function relative(iso: string, now: Date): string {
  const seconds = (new Date(iso).getTime() - now.getTime()) / 1000;
  const [, size, unit] = STEPS.find(([limit]) => Math.abs(seconds) < limit)!;
  return new Intl.RelativeTimeFormat("en", { numeric: "always" }).format(Math.round(seconds / size), unit);
}

/** A key that can be told from others, and not be used. */
export function mask(key: string): string {
  return `${key.slice(0, 3)}…${key.slice(-4)}`;
}

/** Commands in a text as they are to be typed here: `svc` alone is not known where it was not installed for all. */
export function asRun(text: string, { env }: Pick<Context, "env">): string {
  return env["npm_command"] ? text.replace(/\bsvc (?=[a-z])/g, "npx svc ") : text;
}
