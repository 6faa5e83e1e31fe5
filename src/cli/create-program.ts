import type { Command } from "commander";
import { Program, withHelp } from "./command.ts";
import { addCommands } from "./commands/index.ts";
import type { Surroundings } from "./context.ts";
import { numberFrom, timeoutFrom, waitFrom } from "./quantities.ts";
import { HELP_LAYOUT, helpWidth } from "./help/layout.ts";
import { childOf } from "./help/tree.ts";
import { addNeeds } from "./needs.ts";
import { addOutputFlags } from "./output/flags.ts";

type Env = Record<string, string | undefined>;

/**
 * The root command with its flags.
 * @param context into whose environment flags that stand for a variable are written
 * @param isAsked by its name, whether a command is to be run
 */
export async function createProgram(
  context: Surroundings & { readonly env: Env },
  version: string,
  isAsked: (name: string) => boolean,
): Promise<Program> {
  const program = new Program("svc", (isWanted) => createProgram(context, version, isWanted));
  program
    .description("Find and delete users, sessions and tokens of an identity service, and run one on your machine.")
    .version(version, "-V, --version", "print the version")
    .option("--json", "print JSON, and errors as JSON on stderr")
    .option("--profile <name>", "a service that svc login has stored (SVC_PROFILE)")
    .option("--instance <name>", "an instance of the local server (SVC_INSTANCE)")
    .option("--base-url <url>", "another service; its key is in SVC_SECRET_KEY")
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      // Help, where a command is missing.
      writeErr: (text) => context.stdout.write(text),
      // Said once, with a hint, when parsing has ended.
      outputError: () => undefined,
      getOutHelpWidth: () => helpWidth(context.stdout),
      getErrHelpWidth: () => helpWidth(context.stderr),
    })
    .configureHelp(HELP_LAYOUT)
    .exitOverride();
  addConnectionFlags(program, context.env);
  withHelp(program, {
    examples: [
      ["svc serve", "a service here, with its providers simulated"],
      ["svc sign-in --as ada", "sign in, and see the token"],
      ["svc users search --name ada", "find people"],
      ["svc logs --failed", "why a sign-in failed"],
    ],
  });
  addOutputFlags(program);
  addNeeds(program, context);
  await addCommands(program, context, isAsked);
  addAliases(program);
  return program;
}

/** What other programs call the same. */
const ALIASES: Readonly<Record<string, string>> = {
  list: "ls",
  delete: "rm",
  get: "show",
  search: "find",
  create: "add",
  users: "user",
  sessions: "session",
  tokens: "token",
  instances: "instance",
  profiles: "profile",
  logs: "log",
};

function addAliases(group: Command): void {
  for (const command of group.commands) {
    const alias = ALIASES[command.name()];
    if (alias !== undefined && childOf(group, alias) === undefined) command.alias(alias);
    addAliases(command);
  }
}

/** Flags that stand for a variable. */
function addConnectionFlags(program: Program, env: Env): void {
  program
    .option(
      "--timeout <duration>",
      "how long to wait for an answer; default 10s, 60s for svc dev, 5m for svc sign-in (SVC_TIMEOUT)",
      (text) => (env["SVC_TIMEOUT"] = `${timeoutFrom("--timeout", text) / 1000}`),
    )
    .option(
      "--retries <number>",
      "how often to repeat a read whose connection breaks or that is answered with 408, 429, 502, 503 or 504; default 1, 4 for deletions; svc api repeats nothing (SVC_RETRIES)",
      (text) => (env["SVC_RETRIES"] = `${numberFrom("--retries", text, 0, 9)}`),
    )
    .option(
      "--wait <duration>",
      "wait this long for a service that is not up yet (SVC_WAIT)",
      (text) => (env["SVC_WAIT"] = `${waitFrom("--wait", text) / 1000}`),
    )
    .option("--insecure", "allow a secret key over plain http to another machine (SVC_INSECURE=1)")
    .on("option:insecure", () => (env["SVC_INSECURE"] = "1"));
}
