import { isTyped, originOf, type Choices } from "../choices.ts";
import { Option } from "commander";
import { runs, type GlobalFlags, type Program } from "../command.ts";
import { clientVariablesOf, variablesOf } from "../../wire/variables.ts";
import { openControl } from "../connection/control.ts";
import { findRunningServer } from "../connection/running-server.ts";
import { findServerHere, isAtServer } from "../connection/server-here.ts";
import { readExplicitTarget } from "../connection/sources.ts";
import { targetAt } from "../connection/target.ts";
import type { Context, NamedInstance, Surroundings } from "../context.ts";
import { CliError, EXIT } from "../errors.ts";
import { quoted, printJson, say } from "../output/text.ts";
import { few } from "../../text/suggestion.ts";

const FORMATS = ["shell", "dotenv"] as const;

export interface EnvOptions extends GlobalFlags {
  readonly format: (typeof FORMATS)[number];
  readonly client?: string;
}

export function add(program: Program, context: Surroundings): void {
  const command = program
    .command("env")
    .option("--client <id>", "those of an application's own client at a simulated provider")
    .addOption(new Option("--format <format>", "how to write them").choices(FORMATS).default("shell"));
  runs(command, context, { on: "instance" }, runEnv, {
    examples: [
      ['eval "$(svc env)"', "for this shell"],
      ["svc env --format dotenv > .env", "for an application that reads .env"],
      ["svc env --instance globex --client shop-google", "its GOOGLE_CLIENT_ID, GOOGLE_ISSUER and so on"],
    ],
    notes:
      "Prints secrets of the local server of this directory: its secret key and its control key. With a store in memory\n" +
      "both change at each start. SVC_BASE_URL is where users are sent to sign in. SVC_API_URL takes the API's calls for every\n" +
      "instance, by its key, and needs no resolver for names below localhost, as SVC_BASE_URL may. SVC_CONTROL_URL is that\n" +
      "of the control API.",
  });
}

export async function runEnv(context: Context, options: EnvOptions): Promise<void> {
  const { format, json, client } = options;
  const choices = await chosenBy(context);
  const chosen = await readExplicitTarget({ ...context, choices });
  const { server } = await findServerHere(context, chosen, "Those of a server elsewhere are printed there.");
  const target = await targetAt(server, chosen);
  const instance = server.instances.find(({ publishable_key }) => publishable_key === target?.publishable_key?.value)!;
  const variables =
    client === undefined
      ? variablesOf(server, instance, instance === server.instances[0])
      : clientVariablesOf(await clientOf({ ...context, choices }, instance, client));
  const shell = context.choices.base_url;
  if (shell && !isAtServer(server, shell.value))
    say(context, `${shell.source} is of another server than these: ${shell.value}`);
  if (context.stdout.isTTY) context.stderr.write("These are secrets: anyone who has them can use the server.\n");
  if (json) return printJson(context, variables);
  const lines = Object.entries(variables).map(([name, value]) => lineIn(format, name, value));
  context.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

/** The variables that it prints may be of a server that was restarted since: of those the address alone is obeyed. */
async function chosenBy(context: Context): Promise<Choices> {
  const { profile, instance, base_url } = context.choices;
  if (isTyped(base_url) || base_url === undefined) return { profile, instance, base_url };
  const server = profile ? undefined : await findRunningServer(context);
  const isHere = server?.instances.some(({ url }) => originOf(url) === originOf(base_url.value));
  return { profile, instance, base_url: isHere && !instance ? base_url : undefined };
}

async function clientOf(context: Context, { id, subdomain }: NamedInstance, client_id: string) {
  const control = await openControl(context);
  const clients = await control.request("GET /instances/:id/clients", { params: { id } });
  const found = clients.find(({ data }) => data.client_id === client_id);
  if (found) return found.data;
  const ids = few(clients.map(({ data }) => data.client_id));
  throw new CliError(
    EXIT.notFound,
    `${subdomain} has no client "${client_id}".`,
    ids === "" ? "Add one to the seed: svc init --client google" : `It has ${ids}.`,
  );
}

/** @throws {CliError} for a value that programs would read in different ways, as nothing that svc creates */
function lineIn(format: EnvOptions["format"], name: string, value: string): string {
  if (format === "shell") return `export ${name}=${quoted(value)}`;
  if (!/^[\x21-\x7e]+$/.test(value) || /['\\]/.test(value))
    throw new CliError(EXIT.failed, `${name} has a character that can't be written in this format.`, "Use --json.");
  // Within single quotes nothing is replaced, neither by a shell nor by what reads .env.
  return `${name}='${value}'`;
}
