import { signal, type Signal } from "@preact/signals";
import type { ServerEvent } from "../../control-client/index.ts";
import { changes, control, dashboardKey } from "./client.ts";

export const streamStatus = signal<"connecting" | "live" | "reconnecting">("connecting");

type Listener = (event: ServerEvent) => void;
type Message =
  | { readonly event: ServerEvent }
  | { readonly status: "live" | "reconnecting" }
  /** Sent by a new tab to the one that reads. */
  | { readonly ask: "status" };

const listeners = new Set<Listener>();
const channel = new BroadcastChannel("svc_events");
let isLeading = false;
let isClosing = false;
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
 * One connection for all tabs: a browser opens six to a host, and the application under test needs them. The tab that has
 * the lock reads the stream and passes events on; when it is closed another tab gets the lock.
 */
export function startStream(): void {
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => receive(data));
  tell({ ask: "status" });
  // The connection of a page that is left ends, too. Its other tabs are not told of it: one of them opens the next.
  globalThis.addEventListener("pagehide", () => (isClosing = true));
  globalThis.addEventListener("pageshow", () => (isClosing = false));
  void navigator.locks.request("svc_events", lead);
}

async function lead(): Promise<never> {
  isLeading = true;
  for (let failures = 0; ;) {
    await until(dashboardKey, (key) => key !== undefined);
    await read(() => (failures = 0)).catch(() => undefined);
    publish({ status: "reconnecting" });
    // Without a key, which the server may have refused, only another one helps.
    if (dashboardKey.peek() === undefined) continue;
    const pause = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)];
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function read(onOpen: () => void): Promise<void> {
  const opened = (): void => {
    onOpen();
    publish({ status: "live" });
  };
  for await (const event of control.events({ onOpen: opened })) publish({ event });
}

/** To this tab and, by the channel, to the others. */
function publish(message: Message): void {
  if (isClosing) return;
  receive(message);
  tell(message);
}

function tell(message: Message): void {
  // A channel has one origin, and takes none.
  // eslint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage(message);
}

function receive(message: Message): void {
  if ("ask" in message) {
    if (isLeading && streamStatus.peek() !== "connecting") tell({ status: streamStatus.peek() as "live" });
    return;
  }
  if ("status" in message) {
    setStatus(message.status);
    return;
  }
  setStatus("live");
  for (const listener of listeners) listener(message.event);
}

function setStatus(status: "live" | "reconnecting"): void {
  // Events were missed.
  if (status === "live" && streamStatus.peek() === "reconnecting") changes.value++;
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
