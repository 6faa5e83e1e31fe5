import { signal } from "@preact/signals";
import { send } from "./client.ts";
import { dashboardKey } from "./session.ts";

/** What happened on the server: a request that was answered, or a step of a sign-in. */
export interface ServerEvent {
  readonly id: string;
  readonly resource: "request" | "flow";
  readonly data: Readonly<Record<string, unknown>>;
}

/** Whether events arrive at the moment. */
export const streamStatus = signal<"connecting" | "live" | "reconnecting">("connecting");

type Listener = (event: ServerEvent) => void;
type Message =
  | { readonly event: ServerEvent }
  | { readonly status: "live" | "reconnecting" }
  /** From a new tab, to the one that reads. */
  | { readonly ask: "status" };

const listeners = new Set<Listener>();
const channel = new BroadcastChannel("svc_events");
let isLeading = false;
const RETRY_MS = [500, 1000, 2000, 4000, 8000];

/** Calls back for each event until the returned function is called. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * One connection for all tabs: a browser opens six to a host, and the application under test needs them. The tab that has
 * the lock reads the stream and passes events on; when it is closed another tab gets the lock.
 */
export function startStream(): void {
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => receive(data));
  tell({ ask: "status" });
  void navigator.locks.request("svc_events", lead);
}

async function lead(): Promise<never> {
  isLeading = true;
  for (let failures = 0; ;) {
    if (await read(() => (failures = 0))) continue;
    publish({ status: "reconnecting" });
    await signedInOr(sleep(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]!));
  }
}

/** Reads until the connection ends. */
async function read(onOpen: () => void): Promise<boolean> {
  if (dashboardKey.peek() === undefined) return false;
  try {
    const response = await send("GET", "events", undefined, { format: "ndjson" });
    onOpen();
    publish({ status: "live" });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return false;
      const lines = (rest + value).split("\n");
      rest = lines.pop()!;
      for (const line of lines) if (line !== "") publish({ event: JSON.parse(line) as ServerEvent });
    }
  } catch {
    return false;
  }
}

/** To this tab and, by the channel, to the others. */
function publish(message: Message): void {
  receive(message);
  tell(message);
}

/** To the other tabs. */
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
    streamStatus.value = message.status;
    return;
  }
  streamStatus.value = "live";
  for (const listener of listeners) listener(message.event);
}

/** Ends early when this browser is given a key. */
async function signedInOr(pause: Promise<void>): Promise<void> {
  let stop = (): void => undefined;
  const before = dashboardKey.peek();
  const changed = new Promise<void>((resolve) => {
    stop = dashboardKey.subscribe((key) => {
      if (key !== undefined && key !== before) resolve();
    });
  });
  await Promise.race([pause, changed]);
  stop();
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
