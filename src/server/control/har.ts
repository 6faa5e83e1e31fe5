import type { Flow, Step } from "../history/flows.ts";
import type { Shown } from "../history/redact.ts";
import type { ControlDeps } from "./deps.ts";
import { VERSION } from "../../wire/version.ts";

/** Sign-ins as an HTTP Archive (HAR 1.2), which browsers' tools and others read. What was redacted stays so. */
export function toHar(flows: readonly Flow[], { addresses }: ControlDeps): { log: Record<string, unknown> } {
  return {
    log: {
      version: "1.2",
      creator: { name: "svc-identity", version: VERSION },
      pages: flows.map(({ id, started_at }) => ({
        id,
        startedDateTime: started_at,
        title: `Sign-in ${id}`,
        pageTimings: {},
      })),
      entries: flows.flatMap((flow) => flow.steps.map((step) => entryOf(flow, step, addresses.front))),
    },
  };
}

function entryOf(flow: Flow, step: Step, front: string): Record<string, unknown> {
  const { url, method, ...sent } = step.sent ?? {};
  const { status, ...answered } = step.answered ?? {};
  const message = { httpVersion: "HTTP/1.1", cookies: [], headers: [], headersSize: -1, bodySize: -1 };
  return {
    pageref: flow.id,
    startedDateTime: step.at,
    time: step.ms,
    request: {
      ...message,
      method: typeof method === "string" ? method : "GET",
      url: typeof url === "string" ? url : `${front}/#${step.name}`,
      queryString: pairs(sent),
    },
    response: {
      ...message,
      status: typeof status === "number" ? status : 0,
      statusText: "",
      redirectURL: typeof answered["location"] === "string" ? answered["location"] : "",
      content: { size: -1, mimeType: "application/json", text: JSON.stringify(answered) },
    },
    cache: {},
    timings: { send: 0, wait: step.ms, receive: 0 },
    comment: [step.name, step.reason].filter(Boolean).join(": "),
  };
}

function pairs(shown: Shown): { name: string; value: string }[] {
  return Object.entries(shown).map(([name, value]) => ({ name, value: String(value) }));
}
