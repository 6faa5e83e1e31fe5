import type { Command } from "commander";
import type { ControlClient } from "../../../control-client/index.ts";
import type { AnswerOf } from "../../../wire/control/types.ts";
import { isDay } from "../../../text/time.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import { openControl, sayDone } from "../../connection/control.ts";
import type { Context, Surroundings } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { printJson, printRecord } from "../../output/text.ts";

export type ClockVerb = "show" | "freeze" | "set" | "advance" | "resume" | "reset";

const VERBS: readonly (readonly [verb: ClockVerb, argument: string, does: string, example: string])[] = [
  ["show", "", "print the time of the server", "svc dev clock show"],
  ["freeze", "[time]", "stop the clock, now or at a time", "svc dev clock freeze 2026-01-31T12:00:00Z"],
  ["set", "<time>", "set the clock; it keeps running", "svc dev clock set 2026-01-31"],
  ["advance", "<duration>", "move the clock forwards, by a duration or to a time", "svc dev clock advance 61m"],
  ["resume", "", "resume a frozen clock", "svc dev clock resume"],
  ["reset", "", "reset the clock to real time", "svc dev clock reset"],
];

/** @param given a duration or a time, as it was typed; `at` is the time */
type ClockCall = (control: ControlClient, given: string, at: string | undefined) => Promise<AnswerOf<"GET /clock">>;

const CALLS: Readonly<Record<ClockVerb, ClockCall>> = {
  show: (control) => control.request("GET /clock"),
  freeze: (control, _, at) => control.request("POST /clock/freeze", { body: { at } }),
  set: (control, _, at) => control.request("POST /clock/set", { body: { at: at! } }),
  advance(control, given) {
    const body = /^\d{4}-/.test(given) ? { to: momentOf(given)! } : { by: given };
    return control.request("POST /clock/advance", { body });
  },
  resume: (control) => control.request("POST /clock/resume"),
  reset: (control) => control.request("POST /clock/reset"),
};

export function addClock(dev: Command, context: Surroundings): void {
  const clock = dev.command("clock").description("read, freeze and move the time of the server");
  withHelp(clock, {
    notes: "States, codes, tokens, sessions and dates follow this clock. Timeouts and keys do not.",
  });
  for (const [verb, argument, does, example] of VERBS) {
    const command = clock.command(`${verb} ${argument}`.trim(), { isDefault: verb === "show" }).description(does);
    const needs = verb === "show" ? ({ on: "server" } as const) : ({ on: "server", changes: true } as const);
    runs(
      command,
      context,
      needs,
      (given, options: GlobalFlags, time?: string) => runClock(given, options, verb, time),
      {
        examples: [[example, does]],
      },
    );
  }
}

/** Reads or moves the clock, and prints what it shows. @param given a time or a duration */
export async function runClock(context: Context, options: GlobalFlags, verb: ClockVerb, given?: string): Promise<void> {
  const at = verb === "freeze" || verb === "set" ? momentOf(given) : undefined;
  const control = await openControl(context);
  const clock = await CALLS[verb](control, given ?? "", at);
  if (options.json) return printJson(context, clock);
  const { now, mode, offset_ms } = clock;
  if (verb !== "show") await sayDone(context, options, control, "Changed the clock of");
  const real = new Date(Date.parse(now) - offset_ms).toISOString();
  printRecord(context, { now, mode, ...(mode !== "real" && { real_time: real }) });
}

/** A date is its first instant, in UTC. @throws {CliError} for anything else */
function momentOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const isWhole = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  if (isWhole && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)))
    return text.includes("T") ? text : `${text}T00:00:00Z`;
  throw new UsageError(`"${text}" is not a time.`, "Write 2026-01-31, or 2026-01-31T12:00:00Z with its time zone.");
}
