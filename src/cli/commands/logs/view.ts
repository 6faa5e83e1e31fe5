import { LRUCache } from "lru-cache";
import type { Context } from "../../context.ts";
import { harmlessJson } from "../../output/text.ts";
import { lineWriter } from "./lines.ts";
import {
  isWantedFlow,
  isWantedRequest,
  type FlowEvent,
  type RequestEvent,
  type ServerEvent,
  type Wanted,
} from "./wanted.ts";

/** Shows events, of which it leaves out what is not wanted. */
export interface View {
  show(event: ServerEvent): void;
}

/** The sign-ins that may still continue. */
const RECENT = { max: 2000 };

/** NDJSON: a record as the API has it in each line, a sign-in again with each step. */
export function jsonView({ stdout }: Context, wanted: Wanted): View {
  const flows = new LRUCache<string, FlowEvent>(RECENT);
  return {
    show(event) {
      if (event.resource === "flow") flows.set(event.id, event);
      const isWanted =
        event.resource === "flow"
          ? isWantedFlow(event, wanted)
          : isWantedRequest(event, flows.get(event.data.flow_id ?? ""), wanted);
      if (isWanted) stdout.write(`${harmlessJson(event)}\n`);
    },
  };
}

/** For a person: a line for each request, and beneath it the steps of the sign-in that it took further. */
export function textView(context: Context, wanted: Wanted): View {
  const flows = new LRUCache<string, FlowEvent>(RECENT);
  const lines = lineWriter(context, wanted.flow !== undefined);
  /** How many steps of each sign-in have been shown. */
  const shown = new LRUCache<string, number>(RECENT);
  return {
    show(event) {
      if (event.resource === "flow") return void flows.set(event.id, event);
      const flow = flows.get(event.data.flow_id ?? "");
      if (!isWantedRequest(event, flow, wanted)) return;
      lines.request(event);
      const reason = event.data.reason ?? (endsFlow(event) ? (flow?.data.reason ?? null) : null);
      if (flow) {
        const from = shown.get(flow.id) ?? 0;
        const steps = stepsUntil(event, flow, from);
        if (from === 0 && steps.length > 0 && wanted.flow === undefined) lines.flow(flow.id);
        for (const step of steps) lines.step(step, reason);
        shown.set(flow.id, from + steps.length);
      }
      if (reason !== null) lines.reason(reason);
    },
  };
}

/** What is not shown yet and was done until a request was answered. The steps may be those of now, and so later ones. */
function stepsUntil(request: RequestEvent, { data }: FlowEvent, from: number): FlowEvent["data"]["steps"] {
  const steps = data.steps.slice(from);
  if (endsFlow(request)) return steps;
  const isProvider = request.data.route?.endsWith("/authorize") === true;
  const later = steps.findIndex(({ name }) => name !== "begin" && !(isProvider && name === "provider"));
  return later < 0 ? steps : steps.slice(0, later);
}

/** Whether nothing of a sign-in comes after a request. */
function endsFlow({ data: { route, status } }: RequestEvent): boolean {
  return status >= 400 || !/^\/sign-in|\/authorize$/.test(route ?? "");
}
