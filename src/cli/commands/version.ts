import { runs, type GlobalFlags, type Program } from "../command.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../errors.ts";
import { printJson, printRecord } from "../output/text.ts";

export function add(program: Program, context: Context): void {
  const command = program.command("version");
  runs(command, context, (_, options: GlobalFlags) => runVersion(context, options, program.version()!), {
    examples: [["svc version", "versions of svc, Node.js and the system"]],
    exits: [EXIT.done, EXIT.usage],
    notes: "svc never checks for updates, and sends no usage data.",
  });
}

export function runVersion(context: Context, { json }: GlobalFlags, version: string): void {
  const facts = { version, node: process.version, platform: `${process.platform}-${process.arch}` };
  if (json) printJson(context, facts);
  else printRecord(context, facts);
}
