import { runs, type GlobalFlags, type Program } from "../../command.ts";
import type { Context, Surroundings } from "../../context.ts";
import { EXIT, type ExitCode } from "../../errors.ts";
import { helpWidth, wrap } from "../../help/layout.ts";
import { asRun, colors, harmless, printJson } from "../../output/text.ts";
import { MACHINE_CHECKS, type Finding } from "./machine.ts";
import { serviceChecks } from "./service.ts";

type Check = Finding & { readonly name: string };

const MARKS = { ok: "✓", warning: "!", failed: "✗", skipped: "-" } as const;
const COLORS = { ok: "green", warning: "yellow", failed: "red", skipped: "dim" } as const;

export function add(program: Program, context: Surroundings): void {
  runs(program.command("doctor"), context, { on: "instance" }, runDoctor, {
    examples: [
      ["svc doctor", "every check, with its remedy"],
      ["svc doctor --profile staging", "of another service"],
    ],
    notes: "Exit code 1 if a check failed; warnings do not count. Changes nothing.",
  });
}

export async function runDoctor(context: Context, options: GlobalFlags): Promise<ExitCode> {
  const checks: Check[] = [];
  for (const [name, check] of Object.entries(MACHINE_CHECKS)) checks.push({ name, ...(await check(context)) });
  for (const [name, found] of Object.entries(await serviceChecks(context))) checks.push({ name, ...found });
  if (options.json) printJson(context, { checks });
  else print(context, checks);
  return checks.some(({ status }) => status === "failed") ? EXIT.failed : EXIT.done;
}

/** On a terminal what is wide is broken beside its name. */
function print(context: Context, checks: readonly Check[]): void {
  const { stdout } = context;
  const chalk = colors(stdout, context);
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, status, message, remedy } of checks) {
    const said = [message, ...(remedy === undefined ? [] : [asRun(remedy, context)])].map(harmless);
    const row = `  ${name.padEnd(width)}  ${said.join(" ")}`;
    const lines = stdout.isTTY ? wrap(row, helpWidth(stdout)) : row;
    stdout.write(`${chalk[COLORS[status]](MARKS[status])}${lines.slice(1)}\n`);
  }
}
