import { visible } from "../../text/harmless.ts";
import { drawnFor } from "../../text/initials.ts";
import { RowLink } from "./table.tsx";
import { signal, useSignal } from "@preact/signals";
import { relativeTime } from "../../text/time.ts";
import { clockOffset } from "../api/service.ts";
import type { ComponentChildren } from "preact";
import { Button, notify } from "./button.tsx";

/** Untrusted text: isolated from the text around it, with characters that change direction made visible. */
export function UserText({ text, muted }: { text: string; muted?: boolean }) {
  const shown = visible(text);
  return (
    <span class={muted ? "user-text muted" : "user-text"} title={shown}>
      {shown}
    </span>
  );
}

/** Initials in a circle. Pictures are never loaded: the dashboard sends no request to another host. */
export function Avatar({ name, large }: { readonly name: string; readonly large?: boolean }) {
  const { initials, hue } = drawnFor(name);
  return (
    <svg class="avatar" width={large ? 48 : 28} viewBox="0 0 28 28" aria-hidden="true">
      <circle cx="14" cy="14" r="14" fill={`oklch(0.5 0.12 ${hue})`} />
      <text x="14" y="14" text-anchor="middle" dominant-baseline="central">
        {initials}
      </text>
    </svg>
  );
}

/** A name and an e-mail address, safe for any script and any hostile text. */
export function PersonShown(props: { name: string; email: string; address?: string }) {
  const { address } = props;
  const [name, email] = [visible(props.name), visible(props.email)];
  return (
    <span class="person">
      <Avatar name={props.name} />
      <span>
        {address ? (
          <RowLink address={address}>
            <b title={name}>{name}</b>
          </RowLink>
        ) : (
          <b title={name}>{name}</b>
        )}
        <small title={email}>{email}</small>
      </span>
    </span>
  );
}

const tick = signal(Date.now());
setInterval(() => (tick.value = Date.now()), 15_000);

/** The service's time, as far as this browser knows. */
export function serviceNow(): number {
  return Date.now() + clockOffset.value;
}

const second = signal(0);
setInterval(() => second.value++, 1000);

/** The service's time, for what is drawn again each second. */
export function runningTime(): number {
  void second.value;
  return serviceNow();
}

/** Changes each minute. */
export function currentMinute(): number {
  return Math.floor(tick.value / 60_000);
}

/** The service's time, for what is drawn again when it has gone on for some seconds. */
export function recentTime(): number {
  return Math.max(tick.value, Date.now()) + clockOffset.value;
}

/** `3 min. ago`, with the exact time on hover. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  if (!at) return <span class="faint">—</span>;
  return (
    <time dateTime={at} title={at}>
      {relativeTime(Date.parse(at), recentTime(), "short")}
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
export function ExactTime({ at }: { readonly at: string }) {
  const time = wallTime(at);
  const isToday = time.slice(0, 10) === wallTime(serviceNow()).slice(0, 10);
  return (
    <span class="stacked">
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
export function TimeOfDay({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at} class="mono">
      {wallTime(at).slice(11)}
    </time>
  );
}

/** `0.8 ms`, `12 ms`, `1.2 s`. */
export function shownDuration(ms: number): string {
  if (ms < 0.05) return "< 0.1 ms";
  return ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

interface CopyProps {
  readonly text: string | (() => Promise<string>);
  readonly label: string;
  /** The button's text. Without it, the button shows only its icon. */
  readonly children?: ComponentChildren;
}

/** Copies a text, and confirms it. */
export function CopyButton({ text, label, children }: CopyProps) {
  const done = useSignal(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
    done.value = true;
    notify("good", `${label}: copied`);
    setTimeout(() => (done.value = false), 1500);
  };
  return (
    <Button
      kind="quiet"
      small
      icon={done.value ? "check" : "copy"}
      {...(children === undefined && { label: `Copy: ${label}` })}
      onClick={copy}
    >
      {children}
    </Button>
  );
}

/** A value in one line, with a button to copy it. */
export function CopyableValue({ text, label }: { text: string; label: string }) {
  return (
    <>
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </>
  );
}

/** A block of code, with a button to copy it. */
export function CopyableCode({ text, label }: { text: string; label: string }) {
  return (
    <div class="row">
      <Code>{text}</Code>
      <CopyButton text={text} label={label} />
    </div>
  );
}

export function Code({ children }: { children: string }) {
  return (
    <pre class="code" tabIndex={0}>
      <code>{children}</code>
    </pre>
  );
}
