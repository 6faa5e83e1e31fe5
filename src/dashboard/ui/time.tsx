import { signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { relativeTime } from "../../wire/text/relative-time.ts";
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

/** The time of day in UTC, with the age below it, for what is looked up in a log. */
export function ExactTime({ at }: { readonly at: string }): VNode {
  const now = new Date(serviceNow()).toISOString();
  const day = at.slice(0, 10) === now.slice(0, 10) ? "" : `${at.slice(0, 10)} `;
  return (
    <span class="exact-time">
      <span class="mono" title={`${at}, ${new Date(at).toLocaleString()} here`}>
        {day}
        {at.slice(11, 19)} UTC
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
      {at.slice(11, 23)}
    </time>
  );
}

/** `0.8 ms`, `12 ms`, `1.2 s`. */
export function duration(ms: number): string {
  if (ms < 0.05) return "< 0.1 ms";
  return ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
