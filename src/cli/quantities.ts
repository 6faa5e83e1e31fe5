import { parsedJson } from "../text/json.ts";
import { durationMs, isDay } from "../text/time.ts";
import { UsageError } from "./errors.ts";
import type { Context } from "./context.ts";

/** How a duration is written where a number alone is one of seconds. */
const DURATION_FORM = "Write seconds, such as 30 or 0.5, or a duration, such as 500ms, 90s or 1h30m.";
const MILLISECONDS_FORM = "Write milliseconds, such as 500, or a duration, such as 500ms, 90s or 1h30m.";

const DAY_MS = 86_400_000;
/** The longest time that `Date` knows. */
const MOST_MS = 8.64e15;

/**
 * Milliseconds of what a person has typed: `30`, which is seconds, or `1m30s`.
 * @param source the flag or the variable
 * @param bare what a number alone counts
 */
export function durationFrom(
  source: string,
  text: string,
  { bare = "s", mostMs = MOST_MS }: { readonly bare?: "ms" | "s"; readonly mostMs?: number } = {},
): number {
  const ms = durationMs(text, bare);
  if (ms === undefined)
    throw new UsageError(`${source}: "${text}" is not a duration.`, bare === "s" ? DURATION_FORM : MILLISECONDS_FORM);
  if (ms > mostMs) throw new UsageError(`${source}: "${text}" is too long.`, `Give at most ${mostMs / 1000}s.`);
  return ms;
}

/** The two sides of `name=value`. */
export function pairFrom(flag: string, text: string): [name: string, value: string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new UsageError(`${flag}: "${text}" is not name=value.`);
}

/** Fields by name, where a value that is JSON is taken as JSON. Undefined without any. */
export function fieldsFrom(flag: string, texts: readonly string[] | undefined): Record<string, unknown> | undefined {
  const pairs = texts?.map((text) => {
    const [name, value] = pairFrom(flag, text);
    const json = parsedJson(value);
    return [name, json === undefined ? value : json] as const;
  });
  return pairs && Object.fromEntries(pairs);
}

/** The number of a flag. */
export function numberFrom(flag: string, text: string, least = -Infinity, most = Infinity): number {
  const number = /^-?\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  const form = most === Infinity ? "whole number" : `number from ${least} to ${most}`;
  throw new UsageError(`${flag}: "${text}" is not a ${form}.`);
}

/**
 * A time as it is given to a flag: a day, a month or a year, `today`, `yesterday`, a timestamp, or how long ago, e.g. `7d`. Days are
 * those of UTC.
 * @param flag of `--until` a day, month or year is included: the time is the end of it
 * @returns as it is written in a query
 */
export function moment(flag: string, text: string, now: Date): string {
  const period = periodOf(text, now);
  if (period) return period[flag === "--until" ? "end" : "begin"].toISOString().slice(0, 10);
  const ago = durationMs(text.replace(/^(\d{1,4})y$/, (_, years: string) => `${Number(years) * 365}d`));
  if (ago !== undefined) {
    const time = new Date(now.getTime() - ago);
    if (time.getUTCFullYear() >= 1) return time.toISOString();
  }
  const isTime = /^\d{4}-\d{2}-\d{2}T/.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
  if (isTime && /(?:Z|[+-]\d{2}:\d{2})$/i.test(text)) return text;
  throw new UsageError(
    `${flag}: "${text}" is not a time${isTime ? " with a zone" : ""}.`,
    isTime
      ? `Add the zone: ${text}Z`
      : "Write 2026-01-31, 2026-01, yesterday, 2026-01-31T23:59:59Z, or how long ago: 30m, 7d, 2w, 1y.",
  );
}

/** The time from the begin of a day, a month or a year to the begin of the next. Undefined for anything else. */
function periodOf(text: string, now: Date): { readonly begin: Date; readonly end: Date } | undefined {
  const today = now.toISOString().slice(0, 10);
  const yesterday = new Date(now.getTime() - DAY_MS).toISOString().slice(0, 10);
  const named = { today, yesterday }[text] ?? text;
  const parts = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(named);
  if (!parts) return undefined;
  const [year = 0, month, day] = parts.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
  const begin = new Date(Date.UTC(year, (month ?? 1) - 1, day ?? 1));
  // The 31st of February is no day, and the 13th month no month.
  if (!begin.toISOString().startsWith(named)) return undefined;
  const next = day !== undefined ? [month! - 1, day + 1] : month !== undefined ? [month, 1] : [12, 1];
  return { begin, end: new Date(Date.UTC(year, next[0]!, next[1])) };
}

/** The longest wait: longer ones don't fit into a timer. */
const MOST_WAIT_MS = 86_400_000;

export function waitFrom(source: string, text: string): number {
  return durationFrom(source, text, { mostMs: MOST_WAIT_MS });
}

export function timeoutFrom(source: string, text: string): number {
  const ms = waitFrom(source, text);
  if (ms === 0) throw new UsageError(`${source} must be greater than 0.`, "Omit it to wait as long as usual.");
  return ms;
}

/** How long commands wait for a service that is not there yet. */
export function waitMs(env: Context["env"]): number {
  return env["SVC_WAIT"] ? waitFrom("SVC_WAIT", env["SVC_WAIT"]) : 0;
}
