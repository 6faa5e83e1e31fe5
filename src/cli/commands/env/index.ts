import { Option } from "commander";
import { chooseInstance } from "../../connection/local-target.ts";
import { requireLocalServer } from "../../connection/target.ts";
import { variablesOf } from "../../connection/variables.ts";
import { runs, withHelp, type GlobalFlags, type Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";
import { quoted } from "../../output/format.ts";
import { printJson } from "../../output/text.ts";

const FORMATS = ["shell", "dotenv", "json"] as const;

export interface EnvOptions extends GlobalFlags {
  readonly format: (typeof FORMATS)[number];
}

export function addEnv(program: Program, context: Context): void {
  const command = program
    .command("env")
    .addOption(new Option("--format <format>", "how to write them").choices(FORMATS).default("shell"));
  withHelp(command, {
    examples: [
      ['eval "$(svc env)"', "for this shell"],
      ["svc env --format dotenv > .env", "for an application that reads .env"],
      ["svc env --instance globex --json", "those of another instance"],
    ],
    exits: [EXIT.done, EXIT.usage, EXIT.noKey, EXIT.unreachable],
    notes:
      "Prints secrets of the local server of this directory: its secret key and its control key. With a store in memory\n" +
      "both change at each start.",
  });
  runs(command, (options: EnvOptions) => runEnv(context, options));
}

/** Prints what a program finds the local server by. */
export async function runEnv(context: Context, { format, json, instance: wanted }: EnvOptions): Promise<void> {
  const server = await requireLocalServer(context, "Those of a server elsewhere are printed there.");
  const instance = chooseInstance(server, wanted);
  const variables = variablesOf(server, instance, instance === server.instances[0]);
  if (context.stdout.isTTY) context.stderr.write("These are secrets: anyone who has them can use the server.\n");
  if (json || format === "json") return printJson(context, variables);
  for (const [name, value] of Object.entries(variables))
    context.stdout.write(format === "shell" ? `export ${name}=${quoted(value)}\n` : `${name}=${value}\n`);
}
