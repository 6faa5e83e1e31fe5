import { Option } from "commander";
import { runs, type GlobalFlags, type Program } from "../command.ts";
import { variablesOf } from "../../wire/variables.ts";
import { chooseInstance, requireLocalServer } from "../connection/target.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT } from "../errors.ts";
import { quoted, printJson } from "../output/text.ts";

const FORMATS = ["shell", "dotenv", "docker", "json"] as const;

export interface EnvOptions extends GlobalFlags {
  readonly format: (typeof FORMATS)[number];
}

export function add(program: Program, context: Context): void {
  const command = program
    .command("env")
    .addOption(new Option("--format <format>", "how to write them").choices(FORMATS).default("shell"));
  runs(command, context, runEnv, {
    examples: [
      ['eval "$(svc env)"', "for this shell"],
      ["svc env --format dotenv > .env", "for an application that reads .env"],
      ["svc env --format docker > svc.env", "for docker run --env-file, which keeps quotes"],
      ["svc env --instance globex --json", "those of another instance"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.noKey, EXIT.unreachable],
    notes:
      "Prints secrets of the local server of this directory: its secret key and its control key. With a store in memory\n" +
      "both change at each start. SVC_PROGRAM_URL is the address to use from programs: it takes the API's calls for every\n" +
      "instance, by its key, and needs no resolver for names below localhost, as SVC_BASE_URL may.",
  });
}

export async function runEnv(context: Context, { format, json, instance: wanted }: EnvOptions): Promise<void> {
  const server = await requireLocalServer(context, "Those of a server elsewhere are printed there.");
  const instance = chooseInstance(server, wanted);
  const variables = variablesOf(server, instance, instance === server.instances[0]);
  if (context.stdout.isTTY) context.stderr.write("These are secrets: anyone who has them can use the server.\n");
  if (json || format === "json") return printJson(context, variables);
  const lines = Object.entries(variables).map(([name, value]) => lineIn(format, name, value));
  context.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

/** @throws {CliError} for a value that programs would read in different ways, as nothing that svc creates */
function lineIn(format: Exclude<EnvOptions["format"], "json">, name: string, value: string): string {
  if (format === "shell") return `export ${name}=${quoted(value)}`;
  if (!/^[\x21-\x7e]+$/.test(value) || /['\\]/.test(value))
    throw new CliError(EXIT.failed, `${name} has a character that can't be written in this format.`, "Use --json.");
  // Within single quotes nothing is replaced, neither by a shell nor by what reads .env.
  return format === "dotenv" ? `${name}='${value}'` : `${name}=${value}`;
}
