import { Readable } from "node:stream";
import { clearInterval, setInterval } from "node:timers";
import { setTimeout as delay } from "node:timers/promises";
import type { Flow } from "../../history/flows.ts";
import type { LoggedRequest } from "../../history/request-log.ts";
import { filterRequests } from "../filters.ts";
import { requireFound } from "../look-up.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { listInMemory } from "../lists.ts";
import { requestResource, flowResource } from "../resources.ts";
import { stream } from "../../http/respond.ts";
import { hasKey } from "../guard.ts";

export const requestRoutes = (deps: ControlDeps): ControlHandlers<"/requests" | "/events"> => ({
  "GET /requests": (call) => {
    const { requests, process } = deps;
    const matching = filterRequests(requests.all, call.query, deps);
    const present = (entry: LoggedRequest) => requestResource(entry, process);
    return listInMemory(call, deps, {
      name: `requests ${process}`,
      all: requests.all,
      matching,
      isRing: true,
      present,
    });
  },

  "GET /requests/:id": ({ params }) => {
    const entry = requireFound(
      deps.requests.get(params.id),
      "not_found",
      "unknown id, or the request is no longer kept",
    );
    return requestResource(entry, deps.process);
  },

  "GET /events": ({ event, query }) => {
    const isAllowed = (): Promise<boolean> => hasKey(event, deps);
    return stream(event, "application/x-ndjson", eventText(deps, query.kind, isAllowed));
  },
});

/** Shorter than usual idle timeouts of proxies and clients. */
const HEARTBEAT_MS = 10_000;
/** How many characters of events are buffered for a slow reader; events beyond that are dropped. */
const MAX_WAITING = 4 << 20;
/** Events of this time leave in one write: a reader wakes for each. */
const BATCH_MS = 50;

async function* eventText(
  deps: ControlDeps,
  kind: "request" | "flow" | undefined,
  isAllowed: () => Promise<boolean>,
): AsyncGenerator<string> {
  const { flows, requests, process, closing } = deps;
  if (closing.aborted) return;
  const waiting = new Readable({ encoding: "utf8", highWaterMark: MAX_WAITING, read: () => undefined });
  const add = (line: string): void => {
    if (waiting.readableLength < MAX_WAITING) waiting.push(`${line}\n`);
  };
  const addFlow = (flow: Flow): void => add(JSON.stringify(flowResource(flow, deps)));
  const addRequest = (entry: LoggedRequest): void => add(JSON.stringify(requestResource(entry, process)));
  const heartbeat = setInterval(() => {
    add("");
    // While the store is down, no key can have been revoked.
    void isAllowed().then(
      (allowed) => allowed || end(),
      () => undefined,
    );
  }, HEARTBEAT_MS);
  const end = (): void => {
    clearInterval(heartbeat);
    closing.removeEventListener("abort", end);
    flows.changes.off("change", addFlow);
    requests.changes.off("change", addRequest);
    waiting.push(null);
  };
  closing.addEventListener("abort", end);
  if (kind !== "request") flows.changes.on("change", addFlow);
  if (kind !== "flow") requests.changes.on("change", addRequest);
  // The reader knows by it that it is connected.
  add("");
  try {
    for await (const lines of waiting) {
      yield lines as string;
      await delay(BATCH_MS, undefined, { ref: false });
    }
  } finally {
    end();
  }
}
