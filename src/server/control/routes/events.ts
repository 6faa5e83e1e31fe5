import { clearInterval, setInterval } from "node:timers";
import { stream } from "../../http/reply.ts";
import type { ControlDeps } from "../deps.ts";
import { RawReply, type HandlersOf } from "../handler.ts";
import { flowResource, requestResource } from "../resources.ts";

/** Shorter than usual idle timeouts of proxies and clients. */
const HEARTBEAT_MS = 10_000;
/** How many characters of events are buffered for a slow reader; events beyond that are dropped. */
const MAX_WAITING = 4 << 20;

type Format = "sse" | "ndjson";

export const eventRoutes: HandlersOf<"/events"> = {
  "GET /events": ({ query, request }, deps) => {
    const accepted = request.header("accept") ?? "";
    const format = query.format ?? (accepted.includes("application/x-ndjson") ? "ndjson" : "sse");
    const type = format === "sse" ? "text/event-stream" : "application/x-ndjson";
    return new RawReply(stream(type, eventText(deps, format, query.kind)));
  },
};

async function* eventText(
  { flows, requests, process, closing }: ControlDeps,
  format: Format,
  kind: "request" | "flow" | undefined,
): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  const idle = format === "sse" ? ":\n\n" : "\n";
  // Sent first, so that the reader knows that it is connected.
  const waiting: string[] = [idle];
  let length = 0;
  let wake = (): void => undefined;
  const add = (text: string): void => {
    if (length < MAX_WAITING) {
      waiting.push(text);
      length += text.length;
    }
    wake();
  };
  const ends = [
    kind === "request" ? undefined : flows.subscribe((flow) => add(lineOf(flowResource(flow, process), format))),
    kind === "flow" ? undefined : requests.subscribe((entry) => add(lineOf(requestResource(entry, process), format))),
  ];
  const heartbeat = setInterval(() => add(idle), HEARTBEAT_MS);
  const end = (): void => wake();
  closing.addEventListener("abort", end);
  try {
    while (!closing.aborted) {
      if (waiting.length > 0) {
        length = 0;
        yield encoder.encode(waiting.splice(0).join(""));
      } else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    clearInterval(heartbeat);
    closing.removeEventListener("abort", end);
    for (const unsubscribe of ends) unsubscribe?.();
  }
}

function lineOf(event: { id: string; resource: string }, format: Format): string {
  const text = JSON.stringify(event);
  return format === "sse" ? `event: ${event.resource}\ndata: ${text}\n\n` : `${text}\n`;
}
