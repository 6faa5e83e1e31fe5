import type { Context } from "../../context.ts";
import { cut, padded } from "../../list/layout.ts";
import { widthOf } from "../../list/formats.ts";
import { colors, harmless } from "../../output/text.ts";
import { stepInWords, type Step } from "../../../wire/control/flows.ts";
import type { RequestEvent } from "./wanted.ts";

const INDENT = " ".repeat(10);
const STEP_WIDTH = 10;
/** As wide as the longest route of a sign-in. */
const ROUTE_WIDTH = 36;
/** Time, status, method, and the gaps between them. */
const BEFORE_ROUTE = 22;

/** Writes a terminal's lines, none wider than it. */
export interface LineWriter {
  request(request: RequestEvent): void;
  /** The id of the sign-in whose steps follow. */
  flow(id: string): void;
  /** @param said the reason in the line of the request, which is not repeated */
  step(step: Step, said: string | null): void;
  reason(text: string): void;
}

/** @param isWhole whether all that was sent and answered is shown */
export function lineWriter(context: Context, isWhole: boolean): LineWriter {
  const { stdout } = context;
  const chalk = colors(stdout, context);
  const width = (): number => widthOf(context);
  const write = (line: string): void => void stdout.write(`${line}\n`);
  const detail = (mark: string, values: Step["sent"]): void => {
    for (const [name, value] of Object.entries(values ?? {}))
      write(`${INDENT}  ${chalk.dim(`${mark} ${harmless(name)}:`)} ${harmless(String(value))}`);
  };
  return {
    request({ data: { at, status, method, route, path, instance, ms } }) {
      const paint = status >= 500 ? chalk.red : status >= 400 ? chalk.yellow : chalk.green;
      const tail = harmless(`${instance ?? "-"}  ${ms} ms`);
      const room = Math.max(8, width() - BEFORE_ROUTE - tail.length - 2);
      const place = padded(cut(harmless(route ?? path.split("?")[0]!), room), Math.min(ROUTE_WIDTH, room));
      const time = harmless(at.slice(11, 19));
      write(
        `${chalk.dim(time)}  ${paint(harmless(String(status)))}  ${harmless(method).padEnd(6)} ${place}  ${chalk.dim(tail)}`,
      );
    },
    flow: (id) => write(`${INDENT}${chalk.dim(`${"flow".padEnd(STEP_WIDTH)}${harmless(id)}`)}`),
    step(step, said) {
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
    reason: (text) => write(`${INDENT}${chalk.red("✗")} ${harmless(text)}`),
  };
}
