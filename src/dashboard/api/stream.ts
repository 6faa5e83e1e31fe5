import { signal, type Signal } from "@preact/signals";
import type { ServerEvent } from "../../control-client/index.ts";
import { changes, control, dashboardKey } from "./client.ts";

export const streamStatus = signal<"connecting" | "live" | "reconnecting">("connecting");

type Listener = (event: ServerEvent) => void;

const listeners = new Set<Listener>();
const isVisible = signal(!document.hidden);
const RETRY_MS = [500, 1000, 2000, 4000, 8000];

/** Calls back for each event until the returned function is called. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Resolves when events arrive, or can't: what is read before may miss what happens meanwhile. */
export function connected(): Promise<void> {
  return until(streamStatus, (status) => status !== "connecting");
}

/**
 * Reads the events while the tab is visible. A hidden one has no connection, because a browser opens six to a host, and the
 * application under test needs them. What it missed is loaded when it is visible again.
 */
export async function startStream(): Promise<never> {
  let reading: AbortController | undefined;
  document.addEventListener("visibilitychange", () => {
    isVisible.value = !document.hidden;
    if (document.hidden) reading?.abort();
  });
  // A page that is left has none either, even if the browser keeps it for going back.
  globalThis.addEventListener("pagehide", () => {
    isVisible.value = false;
    reading?.abort();
  });
  globalThis.addEventListener("pageshow", () => void (isVisible.value = !document.hidden));
  for (let failures = 0; ;) {
    await until(isVisible, Boolean);
    await until(dashboardKey, (key) => key !== undefined);
    reading = new AbortController();
    const onOpen = (): void => {
      failures = 0;
      setStatus("live");
    };
    try {
      for await (const event of control.events({ onOpen, signal: reading.signal }))
        for (const listener of listeners) listener(event);
    } catch {
      // Tried again below.
    }
    isMissing = true;
    // Without a key, which the server may have refused, only another one helps.
    if (reading.signal.aborted || dashboardKey.peek() === undefined) continue;
    setStatus("reconnecting");
    const pause = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)];
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Whether events were missed. */
let isMissing = false;

function setStatus(status: "live" | "reconnecting"): void {
  if (status === "live" && isMissing) changes.value++;
  if (status === "live") isMissing = false;
  streamStatus.value = status;
}

function until<Value>(source: Signal<Value>, isMet: (value: Value) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = source.subscribe((value) => {
      if (!isMet(value)) return;
      resolve();
      queueMicrotask(() => stop());
    });
  });
}
