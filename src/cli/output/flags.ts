import { Option, type Command } from "commander";
import { commandPath } from "../command-names.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";

const FORMATS = ["table", "wide", "json", "ndjson", "csv", "tsv"] as const;
export type Format = (typeof FORMATS)[number];

/** How data is to be printed; every command takes these. */
export interface OutputFlags {
  readonly json?: boolean;
  readonly output?: Format;
  readonly utc?: boolean;
  readonly bom?: boolean;
}

/** Commands that print rows, and so know every format; the others know a table and JSON. */
const WITH_ROWS = new WeakSet<Command>();

export function addOutputFlags(program: Command): void {
  program
    .addOption(new Option("--output <format>", FORMATS.join(", ")).choices(FORMATS))
    .option("--utc", "print times in UTC, not as 3 days ago")
    .option("--no-color", "no color")
    .option("--bom", "csv: begin with a byte order mark, so that Excel reads it as UTF-8")
    .on("option:output", (name: string) => name === "json" && program.setOptionValue("json", true))
    .hook("preAction", (_, command) => {
      const { json, bom, output = "table" } = program.opts<OutputFlags>();
      if (json && output !== "json" && output !== "table")
        throw new UsageError(`--json and --output ${output} are mutually exclusive.`, "Omit one of them.");
      if (bom && output !== "csv") throw new UsageError("--bom is for csv.", "Add --output csv.");
      if (output !== "table" && output !== "json" && !WITH_ROWS.has(command))
        throw new UsageError(
          `--output ${output} is for lists, and "${commandPath(command)}" does not print one.`,
          "Omit it, or use --json.",
        );
    });
}

/** Says that a command prints rows in every format. @returns the command */
export function printsRows(command: Command): Command {
  WITH_ROWS.add(command);
  return command;
}

/** Whether JSON is asked for, before anything is parsed: what is wrong with the rest is then said in JSON. */
export function asksForJson(argv: readonly string[]): boolean {
  return argv.some(
    (argument, i) =>
      argument === "--json" || /^--output=json$/.test(argument) || (argument === "json" && argv[i - 1] === "--output"),
  );
}

export function formatOf({ json, output }: OutputFlags, { stdout }: Pick<Context, "stdout">): Format {
  if (json) return "json";
  return output ?? (stdout.isTTY ? "table" : "tsv");
}
