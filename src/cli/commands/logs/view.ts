import { LRUCache } from "lru-cache";
import { stepInWords, type Step } from "../../../wire/control/flows.ts";
import type { Context } from "../../context.ts";
import { widthOf } from "../../list/formats.ts";
import { cut, padded } from "../../list/layout.ts";
import { harmlessJson, colors, harmless } from "../../output/text.ts";
import { RECENT, type FlowEvent, type RequestEvent, type Selection, type ServerEvent } from "./events.ts";

/** Shows an event of a selection. */
export type View = (event: ServerEvent) => void;

/** NDJSON: a record as the API has it in each line, a sign-in again with each step. */
export function jsonView({ stdout }: Context): View {
  return (event) => void stdout.write(`${harmlessJson(event)}\n`);
}

/** For a person: a line for each request, and beneath it the steps of the sign-in that it took further. */
export function textView(context: Context, { wanted, flowOf }: Selection): View {
  const lines = lineWriter(context, wanted.flow !== undefined);
  /** How many steps of each sign-in have been shown. */
  const shown = new LRUCache<string, number>(RECENT);
  return (event) => {
    if (event.resource === "flow") return;
    const flow = flowOf(event);
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

const INDENT = " ".repeat(10);
const STEP_WIDTH = 10;
/** As wide as the longest route of a sign-in. */
const ROUTE_WIDTH = 36;
/** Time, status, method, and the gaps between them. */
const BEFORE_ROUTE = 22;

/** Writes a terminal's lines, none wider than it. @param isWhole whether all that was sent and answered is shown */
export function lineWriter(context: Context, isWhole: boolean) {
  const { stdout } = context;
  const chalk = colors(stdout, context);
  const width = (): number => widthOf(context);
  const write = (line: string): void => void stdout.write(`${line}\n`);
  const detail = (mark: string, values: Step["sent"]): void => {
    for (const [name, value] of Object.entries(values ?? {}))
      write(`${INDENT}  ${chalk.dim(`${mark} ${harmless(name)}:`)} ${harmless(String(value))}`);
  };
  return {
    request({ data: { at, status, method, route, path, instance, ms } }: RequestEvent): void {
      const paint = status >= 500 ? chalk.red : status >= 400 ? chalk.yellow : chalk.green;
      const tail = harmless(`${instance ?? "-"}  ${ms} ms`);
      const room = Math.max(8, width() - BEFORE_ROUTE - tail.length - 2);
      const place = padded(cut(harmless(route ?? path.split("?")[0]!), room), Math.min(ROUTE_WIDTH, room));
      const time = harmless(at.slice(11, 19));
      write(
        `${chalk.dim(time)}  ${paint(harmless(String(status)))}  ${harmless(method).padEnd(6)} ${place}  ${chalk.dim(tail)}`,
      );
    },
    /** The id of the sign-in whose steps follow. */
    flow: (id: string) => write(`${INDENT}${chalk.dim(`${"flow".padEnd(STEP_WIDTH)}${harmless(id)}`)}`),
    /** @param said the reason in the line of the request, which is not repeated */
    step(step: Step, said: string | null): void {
      const { name, ms, reason } = step;
      const isFailed = reason !== null;
      const time = ms >= 1 ? `  ${Math.round(ms)} ms` : "";
      const words = harmless(stepInWords(step));
      const room = width() - INDENT.length - STEP_WIDTH - time.length;
      const label = harmless(name).padEnd(STEP_WIDTH);
      write(`${INDENT}${isFailed ? chalk.red(label) : chalk.dim(label)}${cut(words, room)}${chalk.dim(time)}`);
      if (isWhole) {
        detail(">", step.sent);
        detail("<", step.answered);
      }
      if (isFailed && !said?.includes(reason)) write(`${INDENT}${chalk.red(harmless(reason))}`);
    },
    reason: (text: string) => write(`${INDENT}${chalk.red("✗")} ${harmless(text)}`),
  };
}
