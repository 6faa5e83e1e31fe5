import { CommanderError, type Command } from "commander";
import { protectTerms } from "./protect-terms.ts";
import { addCommands } from "./commands/index.ts";
import type { Context } from "./context.ts";
import { CliError, EXIT, toFailure } from "./errors.ts";
import { asRun } from "./output/format.ts";
import { withHelp } from "./help/with-help.ts";
import { addOutputFlags, asksForJson, withoutColor } from "./output/flags.ts";
import { Program } from "./program.ts";

const SECRET_IN_ARGV = /^--secret-key(=|$)|^(-[A-Za-z]|[\w-]+=)?sk_/;

/** Parses, runs the command, and says what went wrong. @returns the exit code */
export async function runProgram(argv: readonly string[], world: Context, version: string): Promise<number> {
  const asJson = asksForJson(argv);
  const context = withoutColor(argv, world);
  const words = new Set(argv);
  // A word that is a value as well loads a command more, and does no harm.
  const program = await createProgram(context, version, asJson, (name) => words.has(name));
  try {
    if (argv.some((argument) => SECRET_IN_ARGV.test(argument)))
      throw new CliError(
        EXIT.usage,
        "A secret key in an argument can be seen by other users and stays in your shell's history.",
        "Put it in SVC_SECRET_KEY, or pipe it to svc login. If that was a real key, replace it.",
      );
    await program.parseAsync(protectTerms(argv, valueOptions(program)), { from: "user" });
    return program.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.done;
      if (!asJson) return EXIT.usage;
      return explain(new CliError(EXIT.usage, asTyped(error.message).replace(/^error: /, "")), context, true);
    }
    return explain(error, context, asJson);
  }
}

/** @param isAsked by its name, whether a command is to be run */
async function createProgram(
  context: Context,
  version: string,
  asJson: boolean,
  isAsked: (name: string) => boolean,
): Promise<Program> {
  const program = new Program("svc", (isWanted) => createProgram(context, version, asJson, isWanted));
  program
    .description(
      "Sign users in through google, github and twitter: a local server, and commands to look after users, sessions and tokens.",
    )
    .version(version, "-V, --version", "print the version")
    .option("--json", "print the API's JSON, and errors as JSON on stderr")
    .option("--profile <name>", "the service to ask, by its name at svc login (SVC_PROFILE)")
    .option("--instance <name>", "the instance of a local server: subdomain, id or publishable key")
    .option("--base-url <url>", "the address of your instance (SVC_BASE_URL)")
    .option("--api-url <url>", "the address of the service, where instances are resolved (SVC_API_URL)")
    .helpCommand(false)
    .showHelpAfterError("(add --help for all that it takes)")
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => void (asJson || context.stderr.write(asTyped(text))),
      getOutHelpWidth: () => context.stdout.columns ?? 80,
      getErrHelpWidth: () => context.stderr.columns ?? 80,
    })
    .exitOverride();
  withHelp(program, {
    examples: [
      ["svc serve", "run the service, on this machine"],
      ["svc sign-in --provider github", "see what a token says"],
      ["svc users search 'email:*@acme.com'", "find users"],
      ["svc tokens verify - < token.txt", "the exit code says if it is valid"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.notFound, EXIT.noKey, EXIT.unreachable, EXIT.interrupted],
    notes: "More: svc help query, svc help output, svc help environment, svc help exit-codes.",
  });
  addOutputFlags(program);
  await addCommands(program, context, isAsked);
  // The names alone, which are known of every command; not for those below, which have this from here already.
  return program.configureHelp({ ...program.configureHelp(), subcommandTerm: (command) => command.name() }) as Program;
}

/** A negated term in a place that takes none is named as it was typed. */
function asTyped(message: string): string {
  return message.replace("'--not=", "'-");
}

/** The long options, of all commands, that take the next argument. */
function valueOptions(command: Command): Set<string> {
  const own = command.options.flatMap((option) => (option.required && option.long ? [option.long] : []));
  return new Set([...own, ...command.commands.flatMap((child) => [...valueOptions(child)])]);
}

async function explain(error: unknown, context: Context, asJson: boolean): Promise<number> {
  // Loaded here, so that help costs no more than itself.
  const { colors, harmless, harmlessJson } = await import("./output/text.ts");
  const { exitCode, code, message, hint } = toFailure(error);
  if (asJson) {
    context.stderr.write(`${harmlessJson({ error: { code, message, ...(hint && { hint }), exitCode } })}\n`);
    return exitCode;
  }
  const chalk = colors(context.stderr, context);
  const lines = message.split("\n").map(harmless);
  context.stderr.write(`${chalk.red("✗")} ${lines.join("\n")}\n${hint ? `  ${harmless(asRun(hint, context))}\n` : ""}`);
  return exitCode;
}
