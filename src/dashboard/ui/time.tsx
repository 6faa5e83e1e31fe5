import { signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { relativeTime } from "../../wire/text/time.ts";
import { clockOffset } from "../api/service.ts";

const tick = signal(Date.now());
setInterval(() => (tick.value = Date.now()), 15_000);

/** The service's time, as far as this browser knows. */
export function serviceNow(): number {
  return Date.now() + clockOffset.value;
}

/** The service's time, updated each second while its clock runs. */
export function useServiceTime(isRunning: boolean): number {
  const time = useSignal(serviceNow());
  useEffect(() => {
    if (!isRunning) return undefined;
    time.value = serviceNow();
    const timer = setInterval(() => (time.value = serviceNow()), 1000);
    return () => clearInterval(timer);
  }, [isRunning, clockOffset.value]);
  return time.value;
}

/** `3 min. ago`, with the exact time on hover. */
export function Time({ at }: { readonly at: string | null | undefined }): VNode {
  if (!at) return <span class="faint">—</span>;
  const now = Math.max(tick.value, Date.now()) + clockOffset.value;
  return (
    <time dateTime={at} title={at}>
      {relativeTime(Date.parse(at), now, "short")}
    </time>
  );
}

const ZONE_KEY = "svc.dashboard.times";
/** The zone of every exact time. UTC is what logs have. */
export const zone = signal<"utc" | "local">(localStorage.getItem(ZONE_KEY) === "local" ? "local" : "utc");

export function switchZone(): void {
  zone.value = zone.value === "utc" ? "local" : "utc";
  localStorage.setItem(ZONE_KEY, zone.value);
}

/** `UTC`, or the name of the reader's zone at a moment, such as `GMT+2`. */
export function zoneName(at: string | number = serviceNow()): string {
  if (zone.value === "utc") return "UTC";
  const parts = new Intl.DateTimeFormat(undefined, { timeZoneName: "short" }).formatToParts(new Date(at));
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "local";
}

/** `2026-01-31 12:04:31.207` in the chosen zone: a part of it is the date, or the time of day. */
export function wallTime(at: string | number): string {
  const date = new Date(at);
  const shift = zone.value === "utc" ? 0 : date.getTimezoneOffset() * 60_000;
  return new Date(date.getTime() - shift).toISOString().slice(0, 23).replace("T", " ");
}

/** The time of day, with the age below it, for what is looked up in a log. */
export function ExactTime({ at }: { readonly at: string }): VNode {
  const time = wallTime(at);
  const isToday = time.slice(0, 10) === wallTime(serviceNow()).slice(0, 10);
  return (
    <span class="exact-time">
      <span class="mono" title={at}>
        {time.slice(isToday ? 11 : 0, 19)} {zoneName(at)}
      </span>{" "}
      <small class="muted">
        <Time at={at} />
      </small>
    </span>
  );
}

/** `12:04:31.207`, for rows of a log. */
export function TimeOfDay({ at }: { readonly at: string }): VNode {
  return (
    <time dateTime={at} title={at} class="mono">
      {wallTime(at).slice(11)}
    </time>
  );
}

/** `0.8 ms`, `12 ms`, `1.2 s`. */
export function duration(ms: number): string {
  if (ms < 0.05) return "< 0.1 ms";
  return ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
