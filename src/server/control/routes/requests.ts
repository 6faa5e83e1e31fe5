import { clearInterval, setInterval } from "node:timers";
import type { LoggedRequest } from "../../history/request-log.ts";
import { filterRequests, waitFor } from "../filters.ts";
import { requireFound } from "../records.ts";
import type { HandlersOf, ControlDeps } from "../deps.ts";
import { listInMemory } from "../lists.ts";
import { requestResource, flowResource } from "../resources.ts";
import { headerOf } from "../../http/context.ts";
import { stream } from "../../http/respond.ts";
import { hasKey } from "../guard.ts";

export const requestRoutes: HandlersOf<"/requests" | "/events"> = {
  "GET /requests": async (call, deps) => {
    const { query } = call;
    const { requests, process } = deps;
    const find = (): LoggedRequest[] => filterRequests(requests.all, query, deps);
    const matching = await waitFor(query.wait, find, (changed) => requests.subscribe(changed), deps.closing);
    const present = (entry: LoggedRequest) => requestResource(entry, process);
    return listInMemory(call, deps, {
      name: `requests ${process}`,
      all: requests.all,
      matching,
      isRing: true,
      present,
    });
  },

  "GET /requests/:id": ({ params }, { requests, process }) => {
    const entry = requireFound(requests.get(params.id), "not_found", "unknown id, or the request is no longer kept");
    return requestResource(entry, process);
  },

  "GET /events": ({ event, query }, deps) => {
    const accepted = headerOf(event, "accept") ?? "";
    const format = query.format ?? (accepted.includes("application/x-ndjson") ? "ndjson" : "sse");
    const type = format === "sse" ? "text/event-stream" : "application/x-ndjson";
    const isAllowed = (): Promise<boolean> => hasKey(event, deps);
    return stream(event, type, eventText(deps, format, query.kind, isAllowed));
  },
};

/** Shorter than usual idle timeouts of proxies and clients. */
const HEARTBEAT_MS = 10_000;
/** How many characters of events are buffered for a slow reader; events beyond that are dropped. */
const MAX_WAITING = 4 << 20;

type Format = "sse" | "ndjson";

async function* eventText(
  { flows, requests, process, closing }: ControlDeps,
  format: Format,
  kind: "request" | "flow" | undefined,
  isAllowed: () => Promise<boolean>,
): AsyncGenerator<string> {
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
  const refused = new AbortController();
  const end = (): void => wake();
  const endIfRefused = async (): Promise<void> => {
    // While the store is down, no key can have been revoked.
    if (await isAllowed().catch(() => true)) return;
    refused.abort();
    end();
  };
  const heartbeat = setInterval(() => {
    add(idle);
    void endIfRefused();
  }, HEARTBEAT_MS);
  closing.addEventListener("abort", end);
  try {
    while (!closing.aborted && !refused.signal.aborted) {
      if (waiting.length > 0) {
        length = 0;
        yield waiting.splice(0).join("");
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
