import { isTyped, valueOf } from "../choices.ts";
import { Option } from "commander";
import { runs, type GlobalFlags, type Program } from "../command.ts";
import { clientVariablesOf, variablesOf } from "../../wire/variables.ts";
import { openControl } from "../connection/control.ts";
import type { RunningServerFile } from "../connection/server-file.ts";
import { isLoopbackUrl, urlFrom } from "../../http/address.ts";
import { findServerHere } from "../connection/server-here.ts";
import { readExplicitTarget } from "../connection/sources.ts";
import { targetAt } from "../connection/target.ts";
import type { Context, NamedInstance, Surroundings } from "../context.ts";
import { CliError, EXIT, UsageError } from "../errors.ts";
import { quoted, printJson } from "../output/text.ts";
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
  const { profile, base_url, instance: word } = context.choices;
  const choices = { profile, instance: word, base_url: isTyped(base_url) ? base_url : undefined };
  const chosen = await readExplicitTarget({ ...context, choices });
  const { server } = await findServerHere(context, chosen, "Those of a server elsewhere are printed there.");
  const target = (profile ?? word) && (await targetAt(server, chosen));
  const instance = target
    ? server.instances.find(({ publishable_key }) => publishable_key === target.publishable_key?.value)!
    : await instanceOfShell(context, server);
  const variables =
    client === undefined
      ? variablesOf(server, instance, instance === server.instances[0])
      : clientVariablesOf(await clientOf({ ...context, choices }, instance, client));
  if (context.stdout.isTTY) context.stderr.write("These are secrets: anyone who has them can use the server.\n");
  if (json) return printJson(context, variables);
  const lines = Object.entries(variables).map(([name, value]) => lineIn(format, name, value));
  context.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

type Served = RunningServerFile["instances"][number];

/**
 * The instance that the variables of the shell name, whose server may have been started again: with other keys, or on another
 * port. Without any, the first. @throws {UsageError} if the one that they name is not there
 */
async function instanceOfShell({ choices }: Context, { instances, url }: RunningServerFile): Promise<Served> {
  const { base_url, secret_key, publishable_key } = choices;
  const key = secret_key && (await valueOf(secret_key));
  const host = base_url && urlFrom(base_url.value)?.hostname;
  const found =
    instances.find((one) => new URL(one.url).hostname === host) ??
    instances.find((one) => one.secret_key === key || one.publishable_key === publishable_key?.value);
  const named = base_url ?? secret_key ?? publishable_key;
  const [first, ...others] = instances;
  // The front door's address is what the first instance's variables have.
  const isOfFirst =
    named === undefined || (host !== undefined && !host.endsWith(".localhost") && isLoopbackUrl(base_url!.value));
  if (found ?? (isOfFirst || others.length === 0)) return found ?? first!;
  throw new UsageError(
    `${named!.source} names no instance of ${url}: it is another server's, was replaced, or the instance is gone.`,
    `Name one of ${few(instances.map(({ subdomain }) => subdomain))}, such as: svc env --instance ${first!.subdomain}`,
  );
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
